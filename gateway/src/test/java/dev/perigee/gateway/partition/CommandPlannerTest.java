package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.CopyOf;
import dev.perigee.gateway.partition.CommandPlan.Answer;
import dev.perigee.gateway.partition.CommandPlan.ApplyOrder;
import dev.perigee.gateway.partition.CommandPlan.RemoveOrder;
import dev.perigee.gateway.partition.CommandPlan.Run;
import dev.perigee.gateway.partition.CommandPlan.Step;
import dev.perigee.gateway.partition.StateRecord.Installed;
import dev.perigee.gateway.partition.StateRecord.Remembered;
import dev.perigee.gateway.quarantine.CommandedStart;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.command.CommandAction.Change;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.RecordOrigin;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CommandPlannerTest {
    private final PartitionState state = new PartitionState();

    @Test
    void installsWhatIsNew() {
        var step = only(plan(9, configure(Change.CREATED, "a", "x")));

        assertThat(step.write())
                .isEqualTo(new Installed(config("a", "x"), false, origin(9), "c-9", null, at(9)));
        assertThat(step.order()).isEqualTo(new ApplyOrder(Cause.CREATED));
    }

    @Test
    void keepsTheTokenOfTheSameConfiguration() {
        var instance = installed("a", "x", false, 5);

        var step = only(plan(9, configure(Change.UPDATED, "a", "x")));

        assertThat(step.write()).isNull();
        assertThat(step.before()).isEqualTo(instance);
    }

    @Test
    void writesAnotherConfigurationARedeploymentAndTheEndOfAStop() {
        installed("a", "x", false, 5);
        installed("b", "x", true, 6);

        assertThat(write(configure(Change.UPDATED, "a", "y"))).isNotNull();
        assertThat(write(configure(Change.REDEPLOYED, "a", "x"))).isNotNull();
        assertThat(write(configure(Change.UPDATED, "b", "x"))).isNotNull();
    }

    @Test
    void takesUpACommandWhoseConfigurationWasWrittenBefore() {
        installed("a", "x", false, 5);

        assertThat(only(plan(1, configure(Change.REDEPLOYED, "a", "x"))).write()).isNull();
    }

    @Test
    void installsAnewWhatIsBeingRemoved() {
        installed("a", "x", false, 5);

        var again =
                CommandPlanner.plan(
                        read(9, "u1", configure(Change.CREATED, "a", "x")),
                        state,
                        _ -> true,
                        _ -> null);

        assertThat(only(again).write())
                .isEqualTo(new Installed(config("a", "x"), false, origin(9), "c-9", null, at(9)));
    }

    @Test
    @DisplayName("TEN-01: a configuration whose process id is another user's is rejected")
    void rejectsAnothersProcessId() {
        var before = installed("1-7", "x", false, 5);
        var same =
                Json.read(
                        """
                        {"installation_id":"7","server_slug":"s","team_id":"t1","team_slug":"t",
                         "user_id":"u2","user_slug":"u-1","transport_type":"stdio","command":"node"}"""
                                .getBytes(StandardCharsets.UTF_8),
                        ServerConfig.class);
        assertThat(same.processId()).isEqualTo(before.config().processId());

        var answer =
                (Answer)
                        CommandPlanner.plan(
                                read(9, "u2", new CommandAction.Configure(Change.CREATED, same)),
                                state,
                                _ -> false,
                                _ -> null);

        assertThat(answer.outcome()).isEqualTo(CommandOutcome.REJECTED);
        assertThat(answer.error())
                .satisfies(error -> assertThat(error.code()).isEqualTo("process_id_taken"));
    }

    @Test
    @DisplayName("TEN-11: one installation too many is rejected; of what is there none is")
    void rejectsOneTooMany() {
        installed("a", "x", false, 5);
        var full = new CommandError(Installations.CODE, "full");

        assertThat(planFull(9, configure(Change.UPDATED, "a", "y"), full)).isInstanceOf(Run.class);
        assertThat(planFull(9, configure(Change.CREATED, "b", "x"), full))
                .isEqualTo(new Answer(CommandOutcome.REJECTED, null, full));
    }

    @Test
    @DisplayName("TEN-11: nor is one that an earlier owner accepted")
    void acceptsWhatWasAccepted() {
        var full = new CommandError(Installations.CODE, "full");
        state.remember("c-9", new Remembered(origin(9), null, Instant.EPOCH));

        assertThat(planFull(9, configure(Change.CREATED, "b", "x"), full)).isInstanceOf(Run.class);
    }

    private CommandPlan planFull(long offset, CommandAction action, CommandError full) {
        return CommandPlanner.plan(read(offset, "u1", action), state, _ -> false, _ -> full);
    }

    @Test
    void doesNotUndoWithAnOlderCommandWhatANewerOneInstalled() {
        installed("a", "x", false, 5, 7);
        installed("b", "x", false, 5, 3);
        state.remember("c-6", new Remembered(origin(6), null, Instant.EPOCH));

        var configured = (Answer) plan(6, configure(Change.UPDATED, "a", "y"));
        assertThat(configured.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(configured.details())
                .satisfies(details -> assertThat(details.supersededBy()).isEqualTo("c-7"));
        assertThat(plan(6, new CommandAction.Delete("a", null))).isInstanceOf(Answer.class);
        assertThat(((Run) plan(6, new CommandAction.RemoveMember("t1", "u1"))).steps()).hasSize(1);
        assertThat(plan(5, new CommandAction.Delete("a", null))).isInstanceOf(Run.class);
    }

    @Test
    @DisplayName("an accepted command is about instances whose offsets are of an earlier topic")
    void isNotOvertakenByAnEarlierTopic() {
        var earlier = new RecordOrigin("mcp.commands.before", 0, 70);
        var record =
                new Installed(config("a", "x"), false, earlier, "c-of-before", 5L, Instant.EPOCH);
        state.install(DesiredInstance.of(record, 100));
        state.remember("c-6", new Remembered(origin(6), null, Instant.EPOCH));

        assertThat(plan(6, new CommandAction.Delete("a", null))).isInstanceOf(Run.class);
        assertThat(plan(6, new CommandAction.Restart("a", null, null))).isInstanceOf(Run.class);
    }

    @Test
    void changesTheIntentAndKeepsTheToken() {
        installed("a", "x", false, 5);

        assertThat(write(new CommandAction.Kill("a", null, "enough")))
                .isEqualTo(new Installed(config("a", "x"), true, origin(1), "c-1", 5L, at(1)));
        assertThat(write(new CommandAction.Restart("a", null, null))).isNull();
    }

    @Test
    @DisplayName("TEN-10: tells what is started once more from what was stopped and what is new")
    void tellsHowItIsStarted() {
        installed("a", "x", false, 5);
        installed("b", "x", true, 6);

        assertThat(start(new CommandAction.Restart("a", null, null)))
                .isEqualTo(CommandedStart.AGAIN);
        assertThat(start(new CommandAction.Spawn("b", null, null)))
                .isEqualTo(CommandedStart.AFTER_STOP);
        assertThat(start(new CommandAction.Restart("b", null, null)))
                .isEqualTo(CommandedStart.AFTER_STOP);
        assertThat(start(configure(Change.CREATED, "c", "x"))).isEqualTo(CommandedStart.CHANGED);
        assertThat(start(configure(Change.UPDATED, "b", "x"))).isEqualTo(CommandedStart.CHANGED);
    }

    private CommandedStart start(CommandAction action) {
        var step = only(plan(9, action));
        assertThat(step.startsAnew()).isTrue();
        return step.start();
    }

    @Test
    void removesAllOfAMember() {
        installed("a", "x", false, 5);
        installed("b", "x", false, 6);

        var plan = (Run) plan(9, new CommandAction.RemoveMember("t1", "u1"));

        assertThat(plan.steps()).hasSize(2);
        assertThat(plan.steps())
                .allSatisfy(step -> assertThat(step.order()).isEqualTo(new RemoveOrder()));
    }

    @Test
    void saysWhatIsNotThere() {
        installed("a", "x", false, 5);

        var recover = (Answer) plan(9, new CommandAction.Recover("zz", null));
        assertThat(recover.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(recover.details()).satisfies(d -> assertThat(d.note()).isEqualTo("not found"));
        var restart = (Answer) plan(9, new CommandAction.Restart("zz", null, null));
        assertThat(restart.outcome()).isEqualTo(CommandOutcome.FAILED);
        assertThat(restart.error()).satisfies(e -> assertThat(e.code()).isEqualTo("not_found"));
        var ofAnother = read(9, "u2", new CommandAction.Kill("a", null, null));
        assertThat(CommandPlanner.plan(ofAnother, state, _ -> false, _ -> null))
                .isInstanceOf(Answer.class);
    }

    @Test
    void aCopyIsAboutEveryUserWhoseConfigurationIsOlderThanTheOriginal() {
        installed("a", "x", false, 5, 7);
        installed("b", "x", false, 6, 9);
        var delete = new CommandAction.RemoveMember("t1", "u1");

        var plan = (Run) CommandPlanner.plan(copy(20, at(8), delete), state, _ -> false, _ -> null);
        assertThat(only(plan).processId()).isEqualTo(config("a", "x").processId());
        assertThat(plan.steps()).hasSize(1);
        assertThat(CommandPlanner.plan(copy(20, at(6), delete), state, _ -> false, _ -> null))
                .isEqualTo(CommandPlanner.aboutNone(delete));
    }

    private @Nullable Installed write(CommandAction action) {
        return only(plan(9, action)).write();
    }

    private static Step only(CommandPlan plan) {
        return ((Run) plan).steps().getFirst();
    }

    private CommandPlan plan(long offset, CommandAction action) {
        return CommandPlanner.plan(read(offset, "u1", action), state, _ -> false, _ -> null);
    }

    private static CommandRead read(long offset, @Nullable String user, CommandAction action) {
        return read(offset, user, action, null);
    }

    private static CommandRead copy(long offset, Instant of, CommandAction action) {
        return read(offset, null, action, new CopyOf(origin(3), of));
    }

    private static CommandRead read(
            long offset, @Nullable String user, CommandAction action, @Nullable CopyOf copyOf) {
        var payload = new CommandPayload("e", null, null, null, null, null, null, null, null, null);
        return new CommandRead(
                origin(offset),
                new RecordKey("t1", user),
                new Command("c-" + offset, "configure", null, null, null, null, payload),
                action,
                at(offset),
                copyOf,
                null);
    }

    private DesiredInstance installed(
            String installation, String arg, boolean stopped, long token) {
        return installed(installation, arg, stopped, token, 1);
    }

    private DesiredInstance installed(
            String installation, String arg, boolean stopped, long token, long by) {
        var record =
                new Installed(
                        config(installation, arg), stopped, origin(by), "c-" + by, token, at(by));
        var instance = DesiredInstance.of(record, 100);
        state.install(instance);
        return instance;
    }

    private static Instant at(long offset) {
        return Instant.EPOCH.plusSeconds(offset);
    }

    private static RecordOrigin origin(long offset) {
        return new RecordOrigin("mcp.commands", 0, offset);
    }

    private static CommandAction configure(Change change, String installation, String arg) {
        return new CommandAction.Configure(change, config(installation, arg));
    }

    private static ServerConfig config(String installation, String arg) {
        return Json.read(
                """
                {"installation_id":"%s","server_slug":"s","team_id":"t1","team_slug":"t",
                 "user_id":"u1","user_slug":"u","transport_type":"stdio","command":"node",
                 "args":["%s"]}"""
                        .formatted(installation, arg)
                        .getBytes(StandardCharsets.UTF_8),
                ServerConfig.class);
    }
}
