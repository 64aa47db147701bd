package dev.perigee.worker.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What the system answered to a name")
final class RecentNamesTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("93.184.215.14");

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger lookups = new AtomicInteger();
    private final RecentNames names = new RecentNames(now::get);

    private List<InetAddress> ask(String host) throws UnknownHostException {
        return names.addresses(
                host,
                () -> {
                    lookups.incrementAndGet();
                    return List.of(ADDRESS);
                });
    }

    @Test
    @DisplayName("is kept for some seconds, and then asked for again")
    void isKept() throws Exception {
        assertThat(ask("a.example")).containsExactly(ADDRESS);
        now.addAndGet(RecentNames.KEPT.toNanos() - 1);
        assertThat(ask("a.example")).containsExactly(ADDRESS);
        assertThat(lookups).hasValue(1);
        now.addAndGet(1);
        assertThat(ask("a.example")).containsExactly(ADDRESS);
        assertThat(lookups).hasValue(2);
    }

    @Test
    @DisplayName("is not kept where it is no answer")
    void failures() throws Exception {
        assertThatThrownBy(
                        () ->
                                names.addresses(
                                        "a.example",
                                        () -> {
                                            throw new UnknownHostException("a.example");
                                        }))
                .isInstanceOf(UnknownHostException.class);
        assertThat(names.hosts()).isZero();
        assertThat(ask("a.example")).containsExactly(ADDRESS);
    }

    @Test
    @DisplayName("has a bounded number of addresses, whatever the name's server says")
    void fewAddresses() throws Exception {
        var many = Collections.nCopies(10_000, ADDRESS);
        assertThat(names.addresses("a.example", () -> many)).hasSize(Names.MOST_ADDRESSES);
        assertThat(names.addresses("a.example", () -> List.of())).hasSize(Names.MOST_ADDRESSES);
    }

    @Test
    @DisplayName("is of the latest hosts only, and of none that is old")
    void fewHosts() throws Exception {
        for (int host = 0; host <= RecentNames.MOST; host++) {
            ask("h" + host);
        }
        assertThat(names.hosts()).isEqualTo(RecentNames.MOST);
        now.addAndGet(RecentNames.KEPT.toNanos() - 1);
        ask("h5");
        ask("later");
        now.addAndGet(1);
        ask("latest");
        assertThat(names.hosts()).isEqualTo(2);
    }
}
