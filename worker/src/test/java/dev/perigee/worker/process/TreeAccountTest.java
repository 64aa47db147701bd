package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Processor time of trees, from lines of {@code /proc/pid/stat} as looks would find them. */
final class TreeAccountTest {
    private static final long WORKER = 10;

    private final TreeAccount account = new TreeAccount(WORKER);

    private long look(ProcStat... processes) {
        return account.advance(Stream.of(processes).map(TreeAccount.Count::ofTicks).toList());
    }

    private static ProcStat worker(long own, long reaped) {
        return process(WORKER, 1, 5, own, reaped);
    }

    /** One hundred ticks of the first two are user time, the rest is system time. */
    private static ProcStat process(long pid, long parent, long start, long own, long reaped) {
        return ProcStat.parse(
                "%d (node (x)) S %d %d %d 0 -1 4194560 1 2 3 4 %d %d %d %d 20 0 11 0 %d 5 6 7"
                        .formatted(
                                pid,
                                parent,
                                pid,
                                pid,
                                Math.min(100, own),
                                Math.max(0, own - 100),
                                Math.min(100, reaped),
                                Math.max(0, reaped - 100),
                                start));
    }

    @Test
    @DisplayName("what each process of a tree spent counts, not what the worker did")
    void sumsTheTrees() {
        look(worker(1000, 70), process(11, 10, 6, 250, 0));

        assertThat(look(worker(1500, 70), process(11, 10, 6, 300, 0), process(12, 11, 7, 30, 5)))
                .isEqualTo(50 + 35);
        assertThat(look(worker(2000, 70), process(11, 10, 6, 300, 0), process(12, 11, 7, 30, 5)))
                .isZero();
    }

    @Test
    @DisplayName("what the worker waited for before the first look is not of its servers")
    void beginsAtTheFirstLook() {
        assertThat(look(worker(1000, 800))).isZero();
    }

    @Test
    @DisplayName("a process that came and went between two looks counts where it was waited for")
    void findsWhatNobodySaw() {
        look(worker(0, 0), process(11, 10, 6, 0, 0));

        assertThat(look(worker(0, 400), process(11, 10, 6, 1, 60))).isEqualTo(400 + 1 + 60);
    }

    @Test
    @DisplayName("the life of a process that ended does not count again in its parent's figures")
    void countsNothingTwice() {
        look(worker(0, 0), process(11, 10, 6, 10, 0), process(12, 11, 7, 9000, 40));

        assertThat(look(worker(0, 0), process(11, 10, 6, 10, 9065))).isEqualTo(25);
        assertThat(look(worker(0, 9080))).as("then the parent ended").isEqualTo(5);
    }

    @Test
    @DisplayName("a whole tree that ended counts its last moments only")
    void countsNothingTwiceOfATree() {
        look(
                worker(0, 0),
                process(11, 10, 6, 10, 0),
                process(12, 11, 7, 20, 0),
                process(13, 12, 8, 5000, 0));

        assertThat(look(worker(0, 5033))).isEqualTo(3);
    }

    @Test
    @DisplayName("a zombie that is waited for looks later does not count again")
    void remembersZombies() {
        look(worker(0, 0), process(11, 10, 6, 0, 0), process(12, 11, 7, 7000, 0));
        assertThat(look(worker(0, 0), process(11, 10, 6, 1, 0))).isEqualTo(1);
        assertThat(look(worker(0, 0), process(11, 10, 6, 2, 0))).isEqualTo(1);

        assertThat(look(worker(0, 0), process(11, 10, 6, 3, 7002))).isEqualTo(1 + 2);
        assertThat(look(worker(0, 0), process(11, 10, 6, 3, 7010))).isEqualTo(8);
    }

    @Test
    @DisplayName("a zombie whose parent ended before it was waited for does not count again")
    void remembersZombiesOfTheDead() {
        look(worker(0, 0), process(11, 10, 6, 100, 0), process(12, 11, 7, 7000, 0));
        look(worker(0, 0), process(11, 10, 6, 100, 0));

        assertThat(look(worker(0, 7100))).isZero();
    }

    @Test
    @DisplayName("where the kernel has one number for both, an ended child counts once, too")
    void countsBothInOne() {
        both(process(11, 10, 6, 0, 0), 500, process(12, 11, 7, 0, 0), 3000);

        assertThat(both(process(11, 10, 6, 0, 0), 3510)).isEqualTo(10);
    }

    private long both(ProcStat parent, long amount, ProcStat child, long its) {
        return account.advance(
                List.of(
                        TreeAccount.Count.ofBoth(parent, amount),
                        TreeAccount.Count.ofBoth(child, its)));
    }

    private long both(ProcStat process, long amount) {
        return account.advance(List.of(TreeAccount.Count.ofBoth(process, amount)));
    }

    @Test
    @DisplayName("a process id that was given again is another process")
    void knowsAReusedNumberByItsStart() {
        look(worker(0, 0), process(11, 10, 6, 500, 0));

        assertThat(look(worker(0, 510), process(11, 10, 99, 20, 0))).isEqualTo(10 + 20);
    }

    @Test
    @DisplayName("ancestors that form a circle, as reused numbers can, end the search")
    void survivesCircles() {
        look(worker(0, 0), process(11, 12, 6, 5, 0), process(12, 11, 7, 5, 0));

        assertThat(look(worker(0, 0))).isZero();
    }
}
