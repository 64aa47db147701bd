package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.limit.RateLimit;
import dev.perigee.protocol.link.LinkError;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CallPermitsTest {
    private Instant now = Instant.parse("2026-11-20T10:00:00Z");
    private CallPermits permits = new CallPermits(new CallLimits(3, 2, RateLimit.NONE), () -> now);

    @Test
    void keepsATeamToItsLimitWhateverTheUser() throws LinkRefusal {
        permits.begin(request("t", "u1", "1"));
        permits.begin(request("t", "u2", "1"));
        refused(request("t", "u3", "1"), "limits.team.concurrency");

        permits.begin(request("other", "u", "1"));
        permits.end(request("t", "u2", "1"));
        permits.begin(request("t", "u3", "1"));
    }

    @Test
    void keepsTheWorkerToItsLimit() throws LinkRefusal {
        permits.begin(request("a", "u", "1"));
        permits.begin(request("b", "u", "1"));
        permits.begin(request("c", "u", "1"));
        refused(request("d", "u", "1"), "worker.max-concurrent-calls");

        permits.end(request("a", "u", "1"));
        permits.end(request("a", "u", "1"));
        permits.begin(request("d", "u", "1"));
        refused(request("e", "u", "1"), "worker.max-concurrent-calls");
    }

    @Test
    void keepsATeamToItsRate() throws LinkRefusal {
        permits = new CallPermits(new CallLimits(9, 9, new RateLimit(10, 1)), () -> now);
        permits.begin(request("t", "u1", "1"));
        refused(request("t", "u2", "2"), "limits.team.rate");
        permits.begin(request("other", "u", "1"));

        now = now.plusMillis(100);
        permits.begin(request("t", "u2", "2"));
    }

    @Test
    void forgetsTeamsThatAreGone() throws LinkRefusal {
        for (int i = 0; i < 10_000; i++) {
            var request = request("t" + i, "u", "1");
            permits.begin(request);
            permits.end(request);
        }
        assertThat(permits.teams()).isLessThan(200);
    }

    private void refused(RequestId request, String key) {
        assertThatThrownBy(() -> permits.begin(request))
                .isInstanceOfSatisfying(
                        LinkRefusal.class,
                        refusal -> assertThat(refusal.error()).isEqualTo(LinkError.OVERLOADED))
                .hasMessageContaining(key);
    }

    private static RequestId request(String team, String user, String id) {
        return new RequestId(team, user, id);
    }
}
