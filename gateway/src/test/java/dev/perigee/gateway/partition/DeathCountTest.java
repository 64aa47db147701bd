package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Inbound.CommandRead;
import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.partition.CommandPlan.ApplyOrder;
import dev.perigee.gateway.partition.CommandPlan.Order;
import dev.perigee.gateway.partition.CommandPlan.RestartOrder;
import dev.perigee.gateway.partition.CommandPlan.Step;
import dev.perigee.gateway.partition.CommandPlan.StopOrder;
import dev.perigee.gateway.quarantine.Death;
import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.gateway.quarantine.UserSuspicion;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What answers for a worker that dies")
final class DeathCountTest {
    private static final Duration LONG = Duration.ofHours(3);
    private static final Duration SHORT = Duration.ofSeconds(10);

    private final OwnerBench bench = new OwnerBench();
    private final Session session = bench.session;
    private final PartitionContext context = bench.context;
    private final Quarantine quarantine = new Quarantine(context);
    private DesiredInstance culprit;
    private DesiredInstance innocent;

    @BeforeEach
    void install() {
        culprit = bench.install("mallory", "culprit");
        innocent = bench.install("alice", "innocent");
        quarantine.attached(session, true);
        session.awake().given(innocent.processId(), false, bench.now);
    }

    @Test
    @DisplayName("TEN-10: what is on trial answers though a command came while the link was down")
    void commandedWhileTheLinkIsDown() {
        onTrial();
        quarantine.suspended(session);
        restarted(culprit);

        assertThat(quarantine.of(culprit)).as("the restart waits for its turn").isNotNull();
        quarantine.lost(session, LinkFailure.DEAD);

        assertThat(of(culprit)).extracting(Suspicion::held).isEqualTo(true);
        assertThat(of(innocent)).isNull();
    }

    @Test
    @DisplayName("TEN-10: its trial is over when the link is back, as the command wanted")
    void commandedAndBack() {
        onTrial();
        quarantine.suspended(session);
        restarted(culprit);
        quarantine.attached(session, true);

        bench.pumpUntil(() -> bench.trials.contains("null"));
        assertThat(quarantine.of(culprit)).isNotNull();
        quarantine.lost(session, LinkFailure.DEAD);
        assertThat(of(culprit)).extracting(Suspicion::held).isEqualTo(false);
        assertThat(of(innocent)).isNotNull();
    }

    @Test
    @DisplayName("TEN-10: a stop that is accepted while the link is down forgets no death")
    void stoppedWhileTheLinkIsDown() {
        session.awake().given(culprit.processId(), true, bench.now);
        bench.later(SHORT);
        quarantine.suspended(session);
        bench.install(culprit.withIntent(true));
        quarantine.lost(session, LinkFailure.DEAD);

        assertThat(of(culprit))
                .extracting(Suspicion::deaths)
                .isEqualTo(List.of(new Death("w", "w/1", bench.now, SHORT.toMillis(), true)));
    }

    @Test
    @DisplayName("TEN-10: what was stopped in time answers for nothing, though calls go to it")
    void stoppedInTime() throws Exception {
        session.awake().given(culprit.processId(), true, bench.now);
        var stopped = bench.install(culprit.withIntent(true));
        ordered(new Step(stopped.processId(), stopped.record(), culprit, new StopOrder(null)));
        new CallSender(context, new Unheard()).send(call(stopped), session);
        quarantine.lost(session, LinkFailure.DEAD);

        assertThat(of(culprit)).isNull();
        assertThat(of(innocent)).isNotNull();
    }

    @Test
    @DisplayName("TEN-10: a spare of a user who answers for two deaths waits when it is started")
    void spare() {
        var deaths = List.of(death("w1"), death("w2"));
        var user = new RecordKey("t1", "mallory").toString();
        context.state().suspectUser(user, new UserSuspicion(deaths, false));
        var spare = bench.install(bench.install("mallory", "spare").withIntent(true));
        var wanted = spare.withIntent(false);
        var step = new Step(spare.processId(), wanted, spare, new ApplyOrder(Cause.SPAWN));

        assertThat(quarantine.commanded(List.of(step))).hasSize(1);
        assertThat(quarantine.of(bench.install(wanted))).isNotNull();
    }

    @Test
    @DisplayName("TEN-10: a restart that never reached the worker is no start")
    void restartedWhileTheLinkIsDown() throws Exception {
        bench.later(LONG);
        quarantine.suspended(session);
        bench.later(SHORT);
        ordered(step(innocent, new RestartOrder(null)));
        quarantine.lost(session, LinkFailure.DEAD);

        assertThat(Objects.requireNonNull(of(innocent)).deaths())
                .containsExactly(new Death("w", "w/1", bench.now, LONG.toMillis(), false));
    }

    @Test
    @DisplayName("TEN-10: what was removed is not held, where no command could release it")
    void removedOnTrial() {
        onTrial();
        context.state().remove(culprit.processId());
        quarantine.lost(session, LinkFailure.DEAD);

        assertThat(of(culprit)).isNull();
        assertThat(quarantine.suspects()).isZero();
        assertThat(of(innocent)).isNotNull();
    }

    /** Two workers died under it, and it runs alone on the third. */
    private void onTrial() {
        var deaths = List.of(death("w1"), death("w2"));
        context.state()
                .suspect(
                        culprit.processId(),
                        new Suspicion(deaths, false, false, false, false, null));
        quarantine.proceed();
        bench.pumpUntil(() -> quarantine.of(culprit) == null);
    }

    private void restarted(DesiredInstance instance) {
        var steps = List.of(step(instance, new RestartOrder(null)));
        var _ = quarantine.commanded(steps);
        quarantine.accepted(steps);
    }

    private static Step step(DesiredInstance instance, Order order) {
        return new Step(instance.processId(), null, instance, order);
    }

    /** Sends it to the worker, and has it answered. */
    private void ordered(Step step) throws InterruptedException {
        var ended = new ArrayList<RunningCommand>();
        var part =
                new RunningCommand.Part(
                        step, Objects.requireNonNull(context.state().instance(step.processId())));
        new OrderDispatcher(context, quarantine, ended::add)
                .add(new RunningCommand(read(), List.of(part), bench.now));
        bench.pumpUntil(() -> !ended.isEmpty());
    }

    private CommandRead read() {
        var payload = new CommandPayload("e", null, null, null, null, null, null, null, null, null);
        return new CommandRead(
                new RecordOrigin("mcp.commands", 1, 9),
                new RecordKey("t1", "mallory"),
                new Command("c-9", "restart", null, null, null, null, payload),
                new CommandAction.Restart("any", null, null),
                bench.now,
                null,
                null);
    }

    private ToolCall call(DesiredInstance instance) {
        var deadline = bench.now.plus(LONG);
        var call =
                new ToolCall(
                        new RequestRead(
                                new RecordOrigin("requests", 1, 1),
                                ToolRequest.call(
                                        "r", "t1", "mallory", "s:echo", RawJson.EMPTY_OBJECT, null),
                                ToolMethod.TOOLS_CALL,
                                ToolPath.parse("s:echo"),
                                bench.now,
                                deadline,
                                deadline,
                                null,
                                null),
                        "group");
        call.resolve(instance.processId());
        return call;
    }

    private @Nullable Suspicion of(DesiredInstance instance) {
        return context.state().suspicion(instance.processId());
    }

    private Death death(String worker) {
        return new Death(worker, worker + "/1", bench.now, LONG.toMillis(), false);
    }

    private static final class Unheard implements CallListener {
        @Override
        public void happened(ToolCall call, CallEvent event) {}

        @Override
        public void refused(ToolCall call, OwnAnswer reason) {}

        @Override
        public void turnedDown(ToolCall call, ToolResult answer) {}
    }
}
