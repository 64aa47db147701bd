package dev.perigee.bench;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** A part of the benchmark that can be run by itself. */
enum Section {
    /** Latency, rate and cost of calls beside the limits. */
    CALLS,
    /** Starts of instances, and how long calls wait when something fails. */
    LIFECYCLE,
    /** What idle instances cost. */
    DENSITY,
    /** What the boundary around a server costs. */
    BOUNDARY,
    /** Whether costs stay what they are in larger fleets. */
    GROWTH,
    /** Pieces of the code by themselves, by JMH; only when it is named. */
    MICRO;

    /** What is measured when no section is named. */
    static Set<Section> usual() {
        return EnumSet.complementOf(EnumSet.of(MICRO));
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
