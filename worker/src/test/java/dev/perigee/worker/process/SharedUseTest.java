package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("TEN-08: where all servers together use too much")
final class SharedUseTest {
    private static final Tenant ALICE = new Tenant("team", "alice");
    private static final Tenant BOB = new Tenant("team", "bob");

    private static SharedUse<String> use(String tree, Tenant tenant, long used) {
        return new SharedUse<>(tree, tenant, used);
    }

    @Test
    @DisplayName("the largest server of the user who uses the most ends, not the largest of all")
    void endsOfWhoUsesTheMost() {
        var many = IntStream.range(0, 30).mapToObj(it -> use("a" + it, ALICE, 100 + it));
        var all = Stream.concat(Stream.of(use("b", BOB, 150)), many).toList();

        assertThat(SharedUse.beyond(3000, all))
                .isEqualTo(new SharedUse.Excess<>("a29", 129, 3435, 3585));
    }

    @Test
    @DisplayName("a user of two teams is two")
    void countsTeamsApart() {
        var other = new Tenant("others", "alice");
        var all = List.of(use("first", ALICE, 60), use("second", other, 60), use("third", BOB, 70));

        assertThat(SharedUse.beyond(100, all))
                .isEqualTo(new SharedUse.Excess<>("third", 70, 70, 190));
    }

    @Test
    @DisplayName("nobody ends within the limit, or without one")
    void endsNobodyWithinTheLimit() {
        var all = List.of(use("first", ALICE, 60), use("second", BOB, 40));

        assertThat(SharedUse.beyond(100, all)).isNull();
        assertThat(SharedUse.beyond(0, all)).isNull();
        assertThat(SharedUse.beyond(100, List.<SharedUse<String>>of())).isNull();
    }
}
