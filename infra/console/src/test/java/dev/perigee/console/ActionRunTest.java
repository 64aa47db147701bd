package dev.perigee.console;

import static dev.perigee.console.ConsoleEvents.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.audit.AuditOutcome;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.audit.AuditTarget;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ActionRunTest {
    private final RecordedActions log = new RecordedActions();

    private ActionRun run(int instances) throws Exception {
        var steps = new ArrayList<ActionRun.Step>();
        var actor = new AuditRecord.Actor("alice", ActionRole.OPERATE, "console", "g1");
        for (int i = 0; i < instances; i++) {
            var target = AuditTarget.instance("p" + i, "t", "u" + i, "i", null);
            var id = "c" + i;
            steps.add(
                    new ActionRun.Step(
                            "p" + i,
                            AuditRecord.accepted(
                                    id, "r", AuditAction.RESTART, target, actor, "why", NOON),
                            new Command(
                                    id,
                                    "restart",
                                    null,
                                    null,
                                    NOON,
                                    NOON,
                                    AuditAction.RESTART.payload("i", "t", "u" + i, null, "why"))));
        }
        var run = new ActionRun("r", AuditAction.RESTART, steps, log, () -> NOON);
        return run;
    }

    private ActionRun ended(int instances) throws Exception {
        var run = run(instances);
        run.begin();
        run.run();
        return run;
    }

    /** Begins a run on a thread of its own, and stops it where the log holds it. */
    private ActionRun stopped(int instances) throws Exception {
        var run = run(instances);
        var thread =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        run.begin();
                                        run.run();
                                    } catch (ActionRefusedException | InterruptedException e) {
                                        log.note("not begun");
                                    }
                                });
        log.awaitHeld();
        run.stopFor("Stopped by bob.");
        thread.interrupt();
        thread.join();
        return run;
    }

    private List<String> failed() {
        return log.audits().stream()
                .filter(audit -> audit.outcome() == AuditOutcome.FAILED)
                .map(AuditRecord::actionId)
                .toList();
    }

    @Test
    void recordsAsFailedWhatAStopLeavesUnsent() throws Exception {
        log.answerNothing();
        log.holdCommandsAfter(2);

        var progress = stopped(4).progress();

        // The third was on its way to the broker, and is done.
        assertThat(failed()).containsExactly("c3");
        assertThat(log.audits().getLast().error()).startsWith("Stopped by bob.");
        assertThat(progress.begun()).isEqualTo(3);
        assertThat(progress.problem()).contains("What was begun goes on");
        assertThat(progress.done()).isTrue();
        assertThat(log.openResults()).isZero();
    }

    @Test
    void recordsAsFailedWhatIsStoppedWhileItIsRecorded() throws Exception {
        log.holdRecording();

        var progress = stopped(2).progress();

        assertThat(failed()).containsExactly("c0", "c1");
        assertThat(log.order()).endsWith("not begun").doesNotContain("command restart");
        assertThat(progress.done()).isTrue();
        assertThat(log.openResults()).isZero();
    }

    @Test
    void takesBackWhatWasRecordedPartly() throws Exception {
        log.recordPartly();
        var run = run(2);

        assertThatThrownBy(run::begin).hasMessage("partly recorded");

        assertThat(log.order()).containsExactly("audit accepted", "audit failed", "audit failed");
        assertThat(failed()).containsExactly("c0", "c1");
    }

    @Test
    void isStoppedWhileItRecordsWhatItDidNotSend() throws Exception {
        log.answerNothing();
        log.refuseCommandsAfter(1, "no leader");
        var run = run(2);
        run.begin();
        run.stopFor("Stopped by bob.");
        log.interruptFailed();

        run.run(); // A stop that is lost would have it wait for a result.

        assertThat(failed()).containsExactly("c1", "c1");
        assertThat(run.progress().problem()).startsWith("Stopped by bob.");
        assertThat(log.openResults()).isZero();
    }

    @Test
    void keepsItsResultWhereAStopComesLater() throws Exception {
        log.failToClose();
        var run = run(1);
        run.begin();

        assertThatThrownBy(run::run).hasMessage("not closed");

        assertThat(run.progress().completed()).isOne();
        assertThat(run.progress().problem()).isNull();
    }

    @Test
    void recordsEveryTimeBeforeItsCommands() throws Exception {
        var progress = ended(ActionRun.RATE + 2).progress();

        var expected = new ArrayList<String>();
        for (int count : List.of(ActionRun.RATE, 2)) {
            expected.addAll(Collections.nCopies(count, "audit accepted"));
            expected.addAll(Collections.nCopies(count, "command restart"));
        }
        assertThat(log.order()).containsExactlyElementsOf(expected);
        assertThat(progress.completed()).isEqualTo(ActionRun.RATE + 2);
        assertThat(progress.done()).isTrue();
        assertThat(progress.problem()).isNull();
        assertThat(log.openResults()).isZero();
    }

    @Test
    void endsWhereNoneOfATimeCameRight() throws Exception {
        log.end(CommandOutcome.FAILED);

        var progress = ended(25).progress();

        assertThat(log.commands()).hasSize(ActionRun.RATE);
        assertThat(log.audits()).hasSize(ActionRun.RATE);
        assertThat(progress.failed()).isEqualTo(ActionRun.RATE);
        assertThat(progress.problem()).contains("15 more are left as they are");
    }

    @Test
    void recordsAsFailedOnlyWhatWasNotSent() throws Exception {
        log.refuseCommandsAfter(3, "no leader");

        var progress = ended(ActionRun.RATE).progress();

        assertThat(failed()).containsExactly("c3", "c4", "c5", "c6", "c7", "c8", "c9");
        assertThat(progress.begun()).isEqualTo(3);
        assertThat(progress.completed()).isEqualTo(3);
        assertThat(progress.problem()).isEqualTo("no leader");
    }

    @Test
    void letsACommandExpireFromWhenItIsSent() throws Exception {
        var _ = ended(1);

        assertThat(log.commands().getFirst().expiresAt()).isEqualTo(NOON.plus(ActionRun.DEADLINE));
    }
}
