package dev.perigee.worker.egress;

import java.util.List;

/** The policy of tests: servers on this machine, besides the internet. */
public final class LocalEgress {
    /** The same as a value of {@code egress.allow}. */
    public static final String ALLOW = "127.0.0.0/8,::1";

    public static final EgressPolicy POLICY =
            EgressPolicy.of(List.of(ALLOW.split(",", -1)), List.of());

    private LocalEgress() {}
}
