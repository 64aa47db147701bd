package dev.perigee.worker.instance;

import org.jspecify.annotations.Nullable;

/**
 * Connection of a call with what its server says and asks while it works on it. On the call's
 * thread.
 */
record CallReporting(ServerRun run, CallReporter reporter, @Nullable CallInput input) {
    /** From now on the call hears of it; {@link #end} it. */
    static CallReporting begin(ServerRun run, CallReporter reporter, @Nullable CallInput input) {
        run.notices().add(reporter);
        if (input != null) {
            run.questions().add(input);
        }
        return new CallReporting(run, reporter, input);
    }

    void end() {
        run.notices().remove(reporter);
        if (input != null) {
            run.questions().remove(input);
        }
        reporter.end();
    }
}
