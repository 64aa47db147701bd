package dev.perigee.worker.process.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import dev.perigee.worker.process.Tenant;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Lookups of names that take for ever")
final class LookupsTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("93.184.215.14");
    private static final Tenant GREEDY = new Tenant("team", "greedy");
    private static final Tenant OTHER = new Tenant("team", "other");

    private final CountDownLatch answer = new CountDownLatch(1);

    /** What the loop's thread is to do, which is the test's here. */
    private final BlockingQueue<Runnable> back = new LinkedBlockingQueue<>();

    private final List<@Nullable List<InetAddress>> found = new ArrayList<>();
    private final Lookups lookups =
            new Lookups(
                    new EgressGuards(EgressPolicy.INTERNET, (host, _) -> answer(host)), back::add);

    private List<InetAddress> answer(String host) throws UnknownHostException {
        try {
            answer.await();
        } catch (InterruptedException e) {
            throw new UnknownHostException(host);
        }
        return List.of(ADDRESS);
    }

    @AfterEach
    void close() {
        lookups.close();
    }

    private boolean begin(Tenant owner, int own) {
        return lookups.begin("a.example", owner, own, found::add);
    }

    private int begun(Tenant owner) {
        int begun = 0;
        while (begin(owner, 0)) {
            begun++;
        }
        return begun;
    }

    @Test
    @DisplayName("take threads from no other user, however many instances one has")
    void areShared() throws Exception {
        assertThat(begun(GREEDY)).isEqualTo(Lookups.MOST_OF_OWNER);
        assertThat(begin(OTHER, 0)).isTrue();
        answer.countDown();
        for (int left = Lookups.MOST_OF_OWNER; left >= 0; left--) {
            Objects.requireNonNull(back.poll(20, TimeUnit.SECONDS)).run();
        }
        assertThat(found).hasSize(Lookups.MOST_OF_OWNER + 1).containsOnly(List.of(ADDRESS));
        assertThat(begin(GREEDY, 0)).isTrue();
    }

    @Test
    @DisplayName("are eight of an instance, and one when half of all threads are taken")
    void areFew() {
        assertThat(begin(OTHER, 7)).isTrue();
        assertThat(begin(OTHER, 8)).isFalse();
        int all = 1;
        for (int user = 0; all < 64; user++) {
            int begun = begun(new Tenant("team", "user" + user));
            assertThat(begun).isPositive();
            all += begun;
        }
        assertThat(begin(new Tenant("team", "late"), 0)).isFalse();
        assertThat(begin(OTHER, 1)).isFalse();
    }
}
