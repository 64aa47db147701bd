package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.RateLimit;
import dev.perigee.protocol.link.LinkError;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CallPermitsTest {
    private Instant now = Instant.parse("2026-11-20T10:00:00Z");
    private CallPermits permits = permits(new CallLimits(3, 2, RateLimit.NONE, 1L << 20));

    @Test
    void keepsATeamToItsLimitWhateverTheUser() throws LinkRefusal {
        permits.begin(request("t", "u1", "1"), 1);
        permits.begin(request("t", "u2", "1"), 1);
        refused(request("t", "u3", "1"), "limits.team.concurrency");

        permits.begin(request("other", "u", "1"), 1);
        permits.end(request("t", "u2", "1"));
        permits.begin(request("t", "u3", "1"), 1);
    }

    @Test
    void keepsTheWorkerToItsLimit() throws LinkRefusal {
        permits.begin(request("a", "u", "1"), 1);
        permits.begin(request("b", "u", "1"), 1);
        permits.begin(request("c", "u", "1"), 1);
        refused(request("d", "u", "1"), "worker.max-concurrent-calls");

        permits.end(request("a", "u", "1"));
        permits.end(request("a", "u", "1"));
        permits.begin(request("d", "u", "1"), 1);
        refused(request("e", "u", "1"), "worker.max-concurrent-calls");
    }

    @Test
    void keepsATeamToItsRate() throws LinkRefusal {
        permits = permits(new CallLimits(9, 9, new RateLimit(10, 1), null));
        permits.begin(request("t", "u1", "1"), 1);
        refused(request("t", "u2", "2"), "limits.team.rate");
        permits.begin(request("other", "u", "1"), 1);

        now = now.plusMillis(100);
        permits.begin(request("t", "u2", "2"), 1);
    }

    @Test
    @DisplayName("one user's large arguments leave room for others', and nothing of them stays")
    void keepsArgumentsToTheirBudget() throws LinkRefusal {
        var budget = ByteBudget.of(1 << 20);
        permits =
                new CallPermits(
                        new CallLimits(1000, 1000, RateLimit.NONE, null), budget, () -> now);
        int begun = 0;
        while (begun < 100 && begins(request("t", "greedy", "" + begun))) {
            begun++;
        }
        assertThat(begun).isBetween(5, 6);
        assertThat(begins(request("t", "other", "1"))).isTrue();
        assertThat(budget.used()).isLessThanOrEqualTo(budget.limit());

        permits.end(request("t", "other", "1"));
        for (int i = 0; i < begun; i++) {
            permits.end(request("t", "greedy", "" + i));
            permits.end(request("t", "greedy", "" + i));
        }
        assertThat(budget.used()).isZero();
        permits.begin(request("t", "greedy", "alone"), 5 << 20);
        refused(request("t", "other", "1"), "worker.open-bytes", 100_000);
        permits.end(request("t", "greedy", "alone"));
        assertThat(budget.used()).isZero();
    }

    private boolean begins(RequestId request) {
        try {
            permits.begin(request, 100_000);
            return true;
        } catch (LinkRefusal e) {
            assertThat(e.error()).isEqualTo(LinkError.OVERLOADED);
            return false;
        }
    }

    private CallPermits permits(CallLimits limits) {
        return new CallPermits(limits, limits.arguments(), () -> now);
    }

    @Test
    void forgetsTeamsThatAreGone() throws LinkRefusal {
        for (int i = 0; i < 10_000; i++) {
            var request = request("t" + i, "u", "1");
            permits.begin(request, 1);
            permits.end(request);
        }
        assertThat(permits.teams()).isLessThan(200);
    }

    private void refused(RequestId request, String key) {
        refused(request, key, 1);
    }

    private void refused(RequestId request, String key, long bytes) {
        assertThatThrownBy(() -> permits.begin(request, bytes))
                .isInstanceOfSatisfying(
                        LinkRefusal.class,
                        refusal -> assertThat(refusal.error()).isEqualTo(LinkError.OVERLOADED))
                .hasMessageContaining(key);
    }

    private static RequestId request(String team, String user, String id) {
        return new RequestId(team, user, id);
    }
}
