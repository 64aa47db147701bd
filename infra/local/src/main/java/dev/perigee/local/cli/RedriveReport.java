package dev.perigee.local.cli;

import dev.perigee.gateway.deadletter.Redriven;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.part.Progress;
import dev.perigee.part.Span;
import java.time.Duration;
import java.util.function.Consumer;

/** Prints what becomes of each letter, on a terminal how far it is, and in the end a sum. */
final class RedriveReport {
    private static final long PACE = Duration.ofSeconds(2).toNanos();

    private final Output output;
    private final Consumer<String> warn;
    private final int chosen;
    private final boolean dryRun;
    private int done;
    private int refused;
    private long said = System.nanoTime();

    RedriveReport(Output output, Consumer<String> warn, int chosen, boolean dryRun) {
        this.output = output;
        this.warn = warn;
        this.chosen = chosen;
        this.dryRun = dryRun;
    }

    void tell(Redriven each) {
        if (each.isRefused()) {
            refused++;
        } else {
            done++;
        }
        if (output.isJson()) {
            var fields = LetterLines.json(each.letter());
            fields.put("outcome", each.outcome());
            if (each.to() != null) {
                fields.put("to", each.to());
            }
            if (each.why() != null) {
                fields.put("why", each.why());
            }
            output.json(fields);
        } else {
            output.line(
                    Span.plain(
                            each.letter().place() + "  " + LetterLines.key(each.letter()) + "  "),
                    new Span(
                            each.isRefused() ? "fg(red)" : "fg(green)",
                            each.outcome().replace('_', ' ')),
                    Span.plain(
                            (each.to() == null ? "" : "  to " + each.to())
                                    + (each.why() == null ? "" : "  " + each.why())));
        }
        if (System.nanoTime() - said > PACE && Boolean.getBoolean(Progress.ON_TERMINAL)) {
            said = System.nanoTime();
            warn.accept(done + refused + " of " + chosen + " ...");
        }
    }

    /** Says the sum and gives the exit code. */
    int end() {
        if (chosen > 0) {
            warn.accept(
                    done
                            + (dryRun ? " would be put back" : " put back")
                            + (refused == 0 ? "." : ", " + refused + " refused."));
        }
        if (refused > 0) {
            warn.accept("What is refused can be edited (--edit, --set, --new-key, --expires-in).");
        }
        return refused == 0 ? ExitCode.OK : ExitCode.FAILED;
    }
}
