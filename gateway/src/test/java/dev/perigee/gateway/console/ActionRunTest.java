package dev.perigee.gateway.console;

import static dev.perigee.gateway.console.ConsoleEvents.NOON;
import static org.assertj.core.api.Assertions.assertThat;

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
        run.begin();
        run.run(log.results());
        return run;
    }

    @Test
    void recordsEveryTimeBeforeItsCommands() throws Exception {
        var progress = run(ActionRun.RATE + 2).progress();

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

        var progress = run(25).progress();

        assertThat(log.commands()).hasSize(ActionRun.RATE);
        assertThat(log.audits()).hasSize(ActionRun.RATE);
        assertThat(progress.failed()).isEqualTo(ActionRun.RATE);
        assertThat(progress.problem()).contains("15 more are left as they are");
    }

    @Test
    void recordsAsFailedOnlyWhatWasNotSent() throws Exception {
        log.refuseCommandsAfter(3, "no leader");

        var progress = run(ActionRun.RATE).progress();

        assertThat(log.audits())
                .filteredOn(audit -> audit.outcome() == AuditOutcome.FAILED)
                .extracting(AuditRecord::actionId)
                .containsExactly("c3", "c4", "c5", "c6", "c7", "c8", "c9");
        assertThat(progress.begun()).isEqualTo(3);
        assertThat(progress.completed()).isEqualTo(3);
        assertThat(progress.problem()).isEqualTo("no leader");
    }

    @Test
    void letsACommandExpireFromWhenItIsSent() throws Exception {
        var _ = run(1);

        assertThat(log.commands().getFirst().expiresAt()).isEqualTo(NOON.plus(ActionRun.DEADLINE));
    }
}
