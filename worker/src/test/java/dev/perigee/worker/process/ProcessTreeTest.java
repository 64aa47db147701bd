package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who belongs to a child, decided on tables written by hand. */
final class ProcessTreeTest {

    private static final TreeId ROOT = new TreeId(100, 7, "w:i:1");

    private static ProcessEntry entry(
            long pid, long parent, long session, long start, @Nullable String owner) {
        return new ProcessEntry(
                new ProcStat(pid, 'S', parent, session, start, 1, 0, 0, 1, 0), owner, null, false);
    }

    private static List<Long> members(ProcessEntry... table) {
        return ProcessTree.of(ROOT, new ProcessSnapshot(List.of(table))).stream()
                .map(ProcessEntry::pid)
                .toList();
    }

    @Test
    void theSessionBelongsToTheChildAlsoWhenItsLeaderIsGone() {
        assertThat(members(entry(101, 1, 100, 8, null), entry(102, 1, 55, 8, null)))
                .containsExactly(101L);
    }

    @Test
    void whoLeftTheSessionIsFoundByItsParentOrByItsMark() {
        assertThat(
                        members(
                                entry(100, 1, 100, 7, "w:i:1"),
                                entry(101, 100, 101, 8, null),
                                entry(102, 101, 101, 8, null),
                                entry(103, 1, 103, 9, "w:i:1")))
                .containsExactly(100L, 101L, 102L, 103L);
    }

    @Test
    void otherChildrenOfTheSameWorkerAreLeftAlone() {
        assertThat(
                        members(
                                entry(200, 1, 200, 8, "w:i:2"),
                                entry(201, 1, 201, 8, "w:i:11"),
                                entry(202, 1, 202, 8, "other:w:i:1")))
                .isEmpty();
    }

    @Test
    @DisplayName("a reused process id, and its session, are a stranger's")
    void knowsAReusedNumberByItsStart() {
        assertThat(
                        members(
                                entry(100, 1, 100, 99, null),
                                entry(101, 100, 100, 99, null),
                                entry(103, 1, 103, 9, "w:i:1")))
                .containsExactly(103L);
    }

    @Test
    void theWorkerItselfIsNeverAMember() {
        var self = ProcessHandle.current().pid();
        assertThat(members(entry(self, 1, 100, 8, "w:i:1"))).isEmpty();
    }

    @Test
    void allIncarnationsAreFoundByTheWorkersPrefix() {
        var table =
                new ProcessSnapshot(
                        List.of(
                                entry(1, 0, 1, 1, "w:a:1"),
                                entry(2, 0, 2, 1, "w:b:1"),
                                entry(3, 0, 3, 1, "w2:a:1")));
        assertThat(ProcessTree.marked("w:", table).stream().map(ProcessEntry::pid))
                .containsExactly(1L, 2L);
    }

    @Test
    void readsAStatLineWhoseNameHoldsAnything() {
        var line =
                "42 (a) b (c) S 7 42 41 0 -1 4194304 1 0 0 0 3 1 20 7 20 0 1 0 1234 5 6 7 8 9 10";
        assertThat(ProcStat.parse(line))
                .isEqualTo(new ProcStat(42, 'S', 7, 41, 1234, 5, 4, 27, 1, 6));
    }

    @Test
    void readsAVariableOnlyWhereItBegins() {
        assertThat(ProcessReader.value("A=PERIGEE_OWNER=x\0PERIGEE_OWNER=y\0B=", "PERIGEE_OWNER"))
                .isEqualTo("y");
        assertThat(ProcessReader.value("XPERIGEE_OWNER=x\0", "PERIGEE_OWNER")).isNull();
    }
}
