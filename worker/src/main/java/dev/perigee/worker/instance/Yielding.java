package dev.perigee.worker.instance;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Place of an instance that goes dormant when another one needs it. Any thread; never blocks. */
record Yielding(InstanceContext dossier, RunningCalls calls) implements AwakeServers.Sleeper {
    @Override
    public @Nullable Instant idleSince() {
        var usage = dossier.usage(calls);
        return usage == null
                        || usage.callsUnderWay() > 0
                        || !dossier.parts.options().idle().isEnabled()
                ? null
                : usage.idleSince();
    }

    @Override
    public void sleep() {
        dossier.mailbox.post(new Message.Yield());
    }
}
