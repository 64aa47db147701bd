package dev.perigee.worker.egress;

import static java.net.spi.InetAddressResolver.LookupPolicy.IPV4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Names of HTTP servers")
final class GuardedResolverTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("93.184.215.14");
    private static final int MANY = LookupTurns.MOST + 10;

    private final CountDownLatch answer = new CountDownLatch(1);
    private final AtomicInteger hanging = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final EgressGuards guards = EgressGuards.of(EgressPolicy.INTERNET);
    private final InetAddressResolver resolver =
            new GuardedResolver.Resolver(new Hanging(), new SystemLookups(Duration.ofMinutes(2)));

    /** Answers at once, but for names below slow.example. */
    private final class Hanging implements InetAddressResolver {
        @Override
        public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
                throws UnknownHostException {
            if (host.endsWith(".slow.example")) {
                hanging.incrementAndGet();
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    throw new UnknownHostException(host);
                }
            }
            return Stream.of(ADDRESS);
        }

        @Override
        public String lookupByAddress(byte[] address) throws UnknownHostException {
            throw new UnknownHostException("none");
        }
    }

    @AfterEach
    void letGo() {
        answer.countDown();
    }

    private List<InetAddress> resolve(String user, String host) {
        return guards.guard(URI.create("https://" + host + "/mcp"), user, null)
                .within(
                        () -> {
                            try {
                                return resolver.lookupByName(host, LookupPolicy.of(IPV4)).toList();
                            } catch (UnknownHostException e) {
                                throw new IllegalStateException(e);
                            }
                        });
    }

    @Test
    @DisplayName("that are never answered take threads from no other user")
    void areShared() {
        for (int number = 0; number < MANY; number++) {
            var host = number + ".slow.example";
            var _ =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        resolve("greedy", host);
                                        answered.incrementAndGet();
                                    });
        }
        await().until(() -> hanging.get() == LookupTurns.MOST_OF_OWNER);

        assertThat(resolve("other", "quick.example")).containsExactly(ADDRESS);
        assertThat(hanging).hasValue(LookupTurns.MOST_OF_OWNER);

        // Those that waited have their answers in the end.
        answer.countDown();
        await().until(() -> answered.get() == MANY);
    }

    @Test
    @DisplayName("are not looked up by those who ask for very many")
    void areBounded() {
        int most = LookupTurns.MOST_OF_OWNER + LookupTurns.MOST_WAITING_OF_OWNER;
        var asking = new AtomicInteger();
        var refused = new AtomicInteger();
        for (int number = 0; number < most + 5; number++) {
            var host = number + ".slow.example";
            var _ =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        asking.incrementAndGet();
                                        try {
                                            resolve("greedy", host);
                                        } catch (IllegalStateException e) {
                                            refused.incrementAndGet();
                                        }
                                    });
        }
        await().until(() -> asking.get() == most + 5 && refused.get() == 5);

        assertThatThrownBy(() -> resolve("greedy", "quick.example"))
                .hasRootCauseMessage("too many names are being looked up");
        assertThat(resolve("other", "quick.example")).containsExactly(ADDRESS);
    }
}
