package dev.perigee.worker.instance;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Place of an instance that goes dormant when another one needs it. Any thread; never blocks. */
record Yielding(InstanceContext context, RunningCalls calls) implements AwakeServers.Sleeper {
    @Override
    public @Nullable Instant idleSince() {
        var usage = context.usage(calls);
        return usage == null
                        || usage.callsUnderWay() > 0
                        || !context.parts.options().idle().isEnabled()
                ? null
                : usage.idleSince();
    }

    @Override
    public void sleep() {
        context.mailbox.post(new Message.Yield());
    }
}
