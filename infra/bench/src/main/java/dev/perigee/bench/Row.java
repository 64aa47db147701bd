package dev.perigee.bench;

import java.util.Locale;

/** One load, three ways. */
record Row(int inFlight, Measurement pipe, Measurement kafka, Measurement perigee) {
    static final String HEADER =
            "in flight |         bare pipe          |         bare Kafka         |          "
                    + "Perigee           |    x";

    /** Perigee's median over what a hop each way and the server itself cost without it. */
    double ratio() {
        return perigee.p50Millis() / (pipe.p50Millis() + kafka.p50Millis());
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%9d | %s | %s | %s | %4.2f",
                inFlight,
                cell(pipe),
                cell(kafka),
                cell(perigee),
                ratio());
    }

    private static String cell(Measurement value) {
        return String.format(
                Locale.ROOT,
                "%7.3f %8.3f %8.0f/s",
                value.p50Millis(),
                value.p99Millis(),
                value.perSecond());
    }
}
