package dev.perigee.worker.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.config.EgressRule;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("TEN-06: A process")
final class ProcessGuardTest {
    private static final InetAddress OUTSIDE = InetAddress.ofLiteral("93.184.215.14");
    private static final InetAddress INSIDE = InetAddress.ofLiteral("10.1.2.3");
    private static final InetAddress OWN = InetAddress.ofLiteral("203.0.113.9");

    private final List<String> refused = new ArrayList<>();

    private ProcessGuard guard(List<String> allow, List<String> deny, @Nullable List<String> only) {
        var list = only == null ? null : only.stream().map(EgressRule::parse).toList();
        return new ProcessGuard(
                EgressPolicy.of(allow, deny), new OwnPlaces(OWN::equals), list, refused::add);
    }

    private ProcessGuard ofFleet(List<String> allow, List<String> deny) {
        return guard(allow, deny, null);
    }

    @Test
    @DisplayName("reaches the internet, but not this machine by its public address")
    void internet() {
        var guard = ofFleet(List.of(), List.of());
        assertThat(guard.admits(OUTSIDE, 443)).isTrue();
        assertThat(guard.admits(INSIDE, 443)).isFalse();
        assertThat(guard.admits(OWN, 443)).isFalse();
        assertThat(guard.admits(InetAddress.ofLiteral("2002:a01:203::1"), 443)).isFalse();
        assertThat(refused).hasSize(3).first().asString().startsWith("10.1.2.3:443: the fleet's");
    }

    @Test
    @DisplayName("reaches an address by the name that led to it, at the ports of that name")
    void byName() {
        var guard = ofFleet(List.of("db.internal:5432"), List.of());
        assertThat(guard.admits(INSIDE, 5432)).isFalse();
        assertThat(guard.admit("other.internal", List.of(INSIDE))).isFalse();
        assertThat(guard.admit("db.internal", List.of(OUTSIDE, INSIDE))).isTrue();
        assertThat(guard.admits(INSIDE, 5432)).isTrue();
        assertThat(guard.admits(INSIDE, 22)).isFalse();
    }

    @Test
    @DisplayName("reaches no port of this machine by a network or a wildcard that has it in it")
    void ownInAllowed() {
        var guard = ofFleet(List.of("203.0.113.0/24", "203.0.113.9:8080"), List.of());
        assertThat(guard.admits(InetAddress.ofLiteral("203.0.113.10"), 7070)).isTrue();
        assertThat(guard.admits(OWN, 7070)).isFalse();
        assertThat(guard.admits(InetAddress.ofLiteral("64:ff9b::cb00:710a"), 7070)).isTrue();
        assertThat(guard.admits(OWN, 8080)).isTrue();
        // A name that leads here is as good as the address: at the port that is named.
        assertThat(guard.admit("a.internal", List.of(OWN))).isTrue();
        assertThat(guard.admits(OWN, 7070)).isFalse();
        assertThat(guard.admits(OWN, 8080)).isTrue();
    }

    @Test
    @DisplayName("reaches this machine by a name at the port that is allowed with it")
    void ownByName() {
        var guard = ofFleet(List.of("*.internal", "b.test", "me.test:9000"), List.of());
        assertThat(guard.admit("a.internal", List.of(OWN))).isFalse();
        assertThat(guard.admit("b.test", List.of(OWN))).isFalse();
        assertThat(guard.admit("me.test", List.of(OWN))).isTrue();
        assertThat(guard.admits(OWN, 9000)).isTrue();
        assertThat(guard.admits(OWN, 7070)).isFalse();
    }

    @Test
    @DisplayName("gets no address of a name of which one is refused")
    void mixed() {
        var guard = ofFleet(List.of(), List.of());
        assertThat(guard.admit("mixed.example", List.of(OUTSIDE, INSIDE))).isFalse();
        assertThat(refused)
                .containsExactly(
                        "mixed.example: the fleet's egress policy does not allow it"
                                + " (egress.allow of the workers)");
    }

    @Test
    @DisplayName("is refused what is denied by name, at the port that is denied")
    void denied() {
        var guard = ofFleet(List.of(), List.of("mail.example:25", "bad.example"));
        assertThat(guard.mayAsk("bad.example")).isFalse();
        assertThat(guard.mayAsk("mail.example")).isTrue();
        assertThat(guard.admit("mail.example", List.of(OUTSIDE))).isTrue();
        assertThat(guard.admits(OUTSIDE, 25)).isFalse();
        assertThat(guard.admits(OUTSIDE, 587)).isTrue();
    }

    @Test
    @DisplayName("with a list asks for its names, and reaches them at its ports only")
    void narrowed() {
        var guard = guard(List.of(), List.of(), List.of("api.example:443", "93.184.215.0/24"));
        assertThat(guard.mayAsk("api.example")).isTrue();
        assertThat(guard.mayAsk("x.api.example")).isFalse();
        assertThat(guard.admit("api.example", List.of(InetAddress.ofLiteral("1.1.1.1")))).isTrue();
        assertThat(guard.admits(InetAddress.ofLiteral("1.1.1.1"), 443)).isTrue();
        assertThat(guard.admits(InetAddress.ofLiteral("1.1.1.1"), 80)).isFalse();
        assertThat(guard.admits(OUTSIDE, 80)).isTrue();
        assertThat(guard.admits(InetAddress.ofLiteral("8.8.8.8"), 443)).isFalse();
        assertThat(guard.admit("api.example", List.of(INSIDE))).isFalse();
        assertThat(refused.getFirst())
                .isEqualTo("x.api.example: it is not in the installation's list (config.egress)");
    }

    @Test
    @DisplayName("reaches nothing with an empty list")
    void nothing() {
        var guard = guard(List.of(), List.of(), List.of());
        assertThat(guard.mayAsk("api.example")).isFalse();
        assertThat(guard.admits(OUTSIDE, 443)).isFalse();
    }

    @Test
    @DisplayName(
            "has the first addresses of a name that has very many, and no others are looked at")
    void manyAddresses() throws Exception {
        var many = new ArrayList<>(Collections.nCopies(Names.MOST_ADDRESSES, OUTSIDE));
        many.addAll(Collections.nCopies(1000, INSIDE));
        var guards = new EgressGuards(EgressPolicy.INTERNET, (_, _) -> many);
        assertThat(guards.addresses("many.example"))
                .hasSize(Names.MOST_ADDRESSES)
                .containsOnly(OUTSIDE);
        // The same ones are decided on and dialled.
        var request = guards.guard(URI.create("https://many.example/"), "user", null);
        assertThat(request.resolve("many.example", () -> many))
                .hasSize(Names.MOST_ADDRESSES)
                .containsOnly(OUTSIDE);
        many.set(Names.MOST_ADDRESSES - 1, INSIDE);
        assertThatThrownBy(() -> request.resolve("many.example", () -> many))
                .isInstanceOf(UnknownHostException.class);
    }

    @Test
    @DisplayName("has each of its addresses compared with this machine's once")
    void asksOnce() {
        var asked = new ArrayList<InetAddress>();
        var guard =
                new ProcessGuard(
                        EgressPolicy.of(List.of("*.a.example", "10.0.0.0/8"), List.of("*:25")),
                        new OwnPlaces(address -> !asked.add(address)),
                        null,
                        refused::add);
        assertThat(guard.admit("x.a.example", List.of(OUTSIDE, INSIDE))).isTrue();
        assertThat(guard.admits(OUTSIDE, 443)).isTrue();
        assertThat(asked).containsExactly(OUTSIDE, INSIDE, OUTSIDE);
    }

    @Test
    @DisplayName("is known by its latest names, for some minutes")
    void forgets() {
        var now = new AtomicLong();
        var names = new AdmittedNames(now::get);
        names.add(INSIDE, "a");
        names.add(INSIDE, "b");
        names.add(INSIDE, "a");
        assertThat(names.of(INSIDE)).containsExactly("b", "a");
        now.addAndGet(AdmittedNames.KEPT.toNanos() - 1);
        names.add(INSIDE, "c");
        now.addAndGet(1);
        assertThat(names.of(INSIDE)).containsExactly("c");
        for (int more = 0; more < AdmittedNames.MOST_NAMES; more++) {
            names.add(INSIDE, "n" + more);
        }
        assertThat(names.of(INSIDE)).hasSize(AdmittedNames.MOST_NAMES).doesNotContain("c");
        for (int more = 0; more < AdmittedNames.MOST; more++) {
            names.add(InetAddress.ofLiteral("1.1.%d.%d".formatted(more >> 8, more & 255)), "x");
        }
        assertThat(names.of(INSIDE)).isEmpty();
    }

    @Test
    @DisplayName("has of this machine's loopback the ports that are allowed one by one")
    void loopback() {
        var policy =
                EgressPolicy.of(
                        List.of("127.0.0.0/8", "127.0.0.1:80", "::1", "[::1]:443", "10.0.0.1:1"),
                        List.of());
        assertThat(policy.loopbackPorts())
                .extracting(port -> port.getAddress().getHostAddress() + " " + port.getPort())
                .containsExactly("127.0.0.1 80", "0:0:0:0:0:0:0:1 443");
    }
}
