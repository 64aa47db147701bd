package dev.perigee.gateway;

import dev.perigee.gateway.inbound.Intake;
import dev.perigee.gateway.link.EventMemory;
import dev.perigee.gateway.partition.OpenArguments;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;

/**
 * Configuration keys of the memory budgets that all partitions of a gateway share; part of the
 * gateway's. Bytes; each is a share of the heap unless it is set.
 */
final class MemorySettings {
    private static final SettingType<Long> ROOM =
            SettingType.bytes().where(bytes -> bytes >= 1 << 20, "1MiB or more");
    private static final int ARGUMENTS_PART = 4;
    private static final int INTAKE_PART = 16;
    private static final int EVENTS_PART = 16;

    static final Setting<Long> ARGUMENTS =
            Setting.optional(
                    "memory.open-arguments",
                    ROOM,
                    "Memory for the arguments of open requests, of all users and partitions"
                            + " together; while it is used up requests are answered overloaded. The"
                            + " last quarter is for users who have nothing open. Without it a"
                            + " quarter of the heap.");

    static final Setting<Long> INTAKE =
            Setting.optional(
                    "memory.intake",
                    ROOM,
                    "Memory for records that were read from Kafka and not looked at yet, of all"
                            + " partitions together; while it is used up partitions wait. Without"
                            + " it a sixteenth of the heap.");
    static final Setting<Long> EVENTS =
            Setting.optional(
                    "memory.events",
                    ROOM,
                    "Memory for events on their way from workers to Kafka, of all partitions"
                            + " together: each may have an equal part of it on the way, at most"
                            + " link.credit and at least 64KiB, and its last event beyond it."
                            + " Without it a sixteenth of the heap.");

    /** All keys, in the order of the reference page. */
    static final SettingsSchema SCHEMA = SettingsSchema.of("memory", ARGUMENTS, INTAKE, EVENTS);

    private MemorySettings() {}

    static OpenArguments arguments(Settings settings) {
        return new OpenArguments(budget(settings, ARGUMENTS, ARGUMENTS_PART));
    }

    static Intake intake(Settings settings) {
        return new Intake(budget(settings, INTAKE, INTAKE_PART));
    }

    static EventMemory events(Settings settings) {
        return new EventMemory(budget(settings, EVENTS, EVENTS_PART));
    }

    private static ByteBudget budget(Settings settings, Setting<Long> setting, int partOfHeap) {
        var bytes = settings.valueOrNull(setting);
        return bytes == null ? ByteBudget.ofHeap(partOfHeap) : ByteBudget.of(bytes);
    }
}
