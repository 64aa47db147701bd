package dev.perigee.worker.process.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Turns")
final class TurnsTest {
    private final Turns<String, String> turns = new Turns<>();

    private List<String> all() {
        var all = new ArrayList<String>();
        while (!turns.isEmpty()) {
            all.add(turns.next());
        }
        return all;
    }

    @Test
    @DisplayName("are one of each owner, however much one has to be done")
    void areFair() {
        List.of("a1", "a2", "a3", "a4").forEach(one -> turns.add("a", one));
        turns.add("b", "b1");
        turns.add("c", "c1");
        turns.add("c", "c2");
        turns.add("a", "a2");
        assertThat(turns.owners()).isEqualTo(3);
        assertThat(all()).containsExactly("a1", "b1", "c1", "a2", "c2", "a3", "a4");
    }

    @Test
    @DisplayName("begin behind those that wait")
    void areInOrder() {
        turns.add("a", "a1");
        turns.add("a", "a2");
        turns.add("b", "b1");
        assertThat(turns.next()).isEqualTo("a1");
        turns.add("a", "a1");
        assertThat(all()).containsExactly("b1", "a2", "a1");
    }

    @Test
    @DisplayName("are not of what was taken out")
    void areTakenOut() {
        turns.add("a", "a1");
        turns.remove("a", "a1");
        turns.remove("b", "b1");
        assertThat(turns.isEmpty()).isTrue();
        turns.add("a", "a2");
        assertThat(all()).containsExactly("a2");
    }
}
