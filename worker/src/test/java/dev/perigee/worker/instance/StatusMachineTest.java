package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.COMMAND_RECEIVED;
import static dev.perigee.protocol.event.ServerStatus.CONNECTING;
import static dev.perigee.protocol.event.ServerStatus.DISCOVERING_TOOLS;
import static dev.perigee.protocol.event.ServerStatus.ERROR;
import static dev.perigee.protocol.event.ServerStatus.OFFLINE;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static dev.perigee.protocol.event.ServerStatus.PERMANENTLY_FAILED;
import static dev.perigee.protocol.event.ServerStatus.REQUIRES_REAUTH;
import static dev.perigee.protocol.event.ServerStatus.RESTARTING;
import static dev.perigee.protocol.event.ServerStatus.SYNCING_TOOLS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.command.CommandAction.Check;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.worker.instance.StatusTrigger.CallFailed;
import dev.perigee.worker.instance.StatusTrigger.CheckFailed;
import dev.perigee.worker.instance.StatusTrigger.Configured;
import dev.perigee.worker.instance.StatusTrigger.StartFailed;
import dev.perigee.worker.instance.StatusTrigger.Step;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

@DisplayName("The status of an installation")
final class StatusMachineTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final StatusTrigger CREATED = new Configured(Cause.CREATED, false, false);

    @Test
    @DisplayName("STA-02: goes its way to online, and syncs the first time only")
    void installs() {
        var machine = new StatusMachine();
        assertThat(all(machine, CREATED, Step.CONNECTS, Step.DISCOVERS, Step.LISTED, Step.READY))
                .containsExactly(
                        COMMAND_RECEIVED, CONNECTING, DISCOVERING_TOOLS, SYNCING_TOOLS, ONLINE);
        assertThat(all(machine, Step.RESTART_ORDERED, Step.CONNECTS, Step.DISCOVERS, Step.LISTED))
                .containsExactly(RESTARTING, CONNECTING, DISCOVERING_TOOLS);
    }

    @Test
    void syncsACreatedInstallationOnly() {
        for (var cause : List.of(Cause.UPDATED, Cause.REDEPLOYED, Cause.RESTORED)) {
            var machine = new StatusMachine();
            follow(machine, new Configured(cause, false, false));
            assertThat(follow(machine, Step.LISTED)).as(cause.name()).isNull();
        }
    }

    @Test
    @DisplayName("STA-41: is never told twice in a row")
    void tellsAStatusOnce() {
        var machine = new StatusMachine();
        assertThat(machine.on(Step.CONNECTS, "one", null, NOW)).isNotNull();
        assertThat(machine.on(Step.CRASHED, "two", null, NOW)).isNull();
        assertThat(machine.message()).isEqualTo("one");
        assertThat(machine.on(Step.READY, null, "c", NOW))
                .isEqualTo(new StatusChanged(ONLINE, null, CONNECTING, "c"));
    }

    @Test
    @DisplayName("is offline when it is stopped, and a stopped one is not restarting")
    void stops() {
        var machine = at(ONLINE);
        assertThat(follow(machine, new Configured(Cause.RESTORED, true, true))).isNull();
        assertThat(follow(machine, Step.STOPPED)).isEqualTo(OFFLINE);
    }

    @ParameterizedTest
    @EnumSource(ServerStatus.class)
    @DisplayName("STA-28: an answer leads back from offline and error only")
    void recovers(ServerStatus from) {
        boolean down = from == OFFLINE || from == ERROR;
        assertThat(follow(at(from), Step.ANSWERED)).isEqualTo(down ? CONNECTING : null);
    }

    @ParameterizedTest
    @EnumSource(
            value = ServerStatus.class,
            names = {"ONLINE", "OFFLINE", "ERROR"})
    @DisplayName("STA-27: a failed call tells what is wrong of one that was up or down")
    void callsFail(ServerStatus from) {
        for (var found : List.of(OFFLINE, ERROR, REQUIRES_REAUTH)) {
            assertThat(follow(at(from), new CallFailed(found)))
                    .isEqualTo(found == from ? null : found);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ServerStatus.class,
            names = {"ONLINE", "OFFLINE", "ERROR", "AWAITING_USER_CONFIG"},
            mode = Mode.EXCLUDE)
    @DisplayName("REC-51, REC-52: a late failure ends neither a transition nor a user's duty")
    void callsFailTooLate(ServerStatus from) {
        assertThat(follow(at(from), new CallFailed(ERROR))).isNull();
        assertThat(follow(at(from), new CheckFailed(Check.CONNECTIVITY, OFFLINE))).isNull();
        assertThat(follow(at(from), new CheckFailed(Check.CONNECTIVITY, REQUIRES_REAUTH))).isNull();
    }

    @Test
    @DisplayName("STA-32, STA-33: failed checks set offline, or that the user must act")
    void checksFail() {
        var unreached = new CheckFailed(Check.CONNECTIVITY, OFFLINE);
        assertThat(follow(at(ONLINE), unreached)).isEqualTo(OFFLINE);
        assertThat(follow(at(ONLINE), new CheckFailed(Check.CONNECTIVITY, ERROR)))
                .isEqualTo(OFFLINE);
        assertThat(follow(at(ERROR), unreached)).isNull();
        assertThat(follow(at(ONLINE), new CheckFailed(Check.CREDENTIAL_VALIDATION, OFFLINE)))
                .isNull();
        for (var check : Check.values()) {
            assertThat(follow(at(OFFLINE), new CheckFailed(check, REQUIRES_REAUTH)))
                    .isEqualTo(REQUIRES_REAUTH);
        }
    }

    @Test
    @DisplayName("STA-07: crashes lead to connecting, the last one to permanently_failed")
    void crashes() {
        assertThat(all(at(ONLINE), Step.CRASHED, Step.CRASHED_FOR_GOOD))
                .containsExactly(CONNECTING, PERMANENTLY_FAILED);
        assertThat(follow(at(CONNECTING), new StartFailed(ERROR))).isEqualTo(ERROR);
    }

    @Test
    @DisplayName("a new list of an online server's tools is no change of status")
    void discoversOnline() {
        assertThat(follow(at(ONLINE), Step.DISCOVERS)).isNull();
    }

    private static StatusMachine at(ServerStatus status) {
        return new StatusMachine(status, null, true);
    }

    private static @Nullable ServerStatus follow(StatusMachine machine, StatusTrigger trigger) {
        var event = machine.on(trigger, null, null, NOW);
        return event == null ? null : event.status();
    }

    /** The statuses that are told on the way. */
    private static List<ServerStatus> all(StatusMachine machine, StatusTrigger... triggers) {
        return Arrays.stream(triggers)
                .map(trigger -> follow(machine, trigger))
                .filter(Objects::nonNull)
                .toList();
    }
}
