package dev.perigee.worker.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Turns of lookups")
final class LookupTurnsTest {
    private final LookupTurns<String> turns = new LookupTurns<>();

    private void add(String owner, int from, int count) {
        for (int number = from; number < from + count; number++) {
            assertThat(turns.add(owner, owner + number)).isTrue();
        }
    }

    private List<String> begun() {
        var begun = new ArrayList<String>();
        for (String next; (next = turns.next()) != null; ) {
            begun.add(next);
        }
        return begun;
    }

    @Test
    @DisplayName("are a quarter of all for one owner, and the next when one of them is over")
    void areAQuarter() {
        add("a", 0, LookupTurns.MOST_OF_OWNER + 2);
        assertThat(begun()).hasSize(LookupTurns.MOST_OF_OWNER).startsWith("a0", "a1");
        add("b", 0, 1);
        assertThat(begun()).containsExactly("b0");
        turns.ended("b", "b0");
        assertThat(begun()).isEmpty();
        turns.ended("a", "a7");
        assertThat(begun()).containsExactly("a16");
    }

    @Test
    @DisplayName("are of one owner after the other while all are taken")
    void areFair() {
        for (var owner : List.of("a", "b", "c", "d")) {
            add(owner, 0, LookupTurns.MOST_OF_OWNER);
        }
        assertThat(begun()).hasSize(LookupTurns.MOST / 2).startsWith("a0", "b0", "c0", "d0", "a1");
        add("e", 0, LookupTurns.SCARCE + 2);
        add("f", 0, 1);
        assertThat(begun()).containsExactly("e0", "f0", "e1", "e2", "e3");
        for (int number = 0; number < 5; number++) {
            turns.ended("a", "a" + number);
        }
        assertThat(begun()).containsExactly("a8");
        turns.ended("b", "b0");
        turns.ended("b", "b1");
        assertThat(begun()).containsExactly("b8");
    }

    @Test
    @DisplayName("are waited for by so many of an owner, and by so many in all")
    void areBounded() {
        add("a", 0, LookupTurns.MOST_WAITING_OF_OWNER);
        assertThat(turns.add("a", "late")).isFalse();
        add("b", 0, LookupTurns.MOST_WAITING_OF_OWNER);
        for (int number = 0; number < 32; number++) {
            add("c" + number, 0, LookupTurns.SCARCE_WAITING);
            assertThat(turns.add("c" + number, "late")).isFalse();
        }
        assertThat(turns.add("e", "e0")).isFalse();
        assertThat(begun()).hasSize(LookupTurns.MOST);
        assertThat(turns.add("e", "e0")).isTrue();
    }

    @Test
    @DisplayName("are given up only by those that wait")
    void areGivenUp() {
        add("a", 0, LookupTurns.MOST_OF_OWNER + 2);
        assertThat(begun()).hasSize(LookupTurns.MOST_OF_OWNER);
        turns.giveUp("a", "a0");
        turns.giveUp("a", "a16");
        assertThat(begun()).isEmpty();
        turns.ended("a", "a0");
        assertThat(begun()).containsExactly("a17");
    }

    @Test
    @DisplayName("leave nothing behind")
    void areForgotten() {
        add("a", 0, 1);
        add("b", 0, 1);
        assertThat(turns.owners()).isEqualTo(2);
        assertThat(begun()).containsExactly("a0", "b0");
        turns.ended("a", "a0");
        turns.ended("a", "a0");
        turns.ended("b", "b0");
        assertThat(turns.owners()).isZero();
        add("c", 0, 1);
        turns.giveUp("c", "c0");
        assertThat(turns.owners()).isZero();
    }
}
