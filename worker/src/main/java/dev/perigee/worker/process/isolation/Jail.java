package dev.perigee.worker.process.isolation;

import java.util.List;

/**
 * A program of the system that makes jails. Pure: it knows how its command line is written. Both
 * kinds make the same jail.
 */
interface Jail {

    /** As heartbeats say it. */
    String name();

    /** What of the policy this kind cannot enforce, besides what depends on the host. */
    List<String> unenforced();

    /** Text of the file from which its program reads more than its command; empty without one. */
    String configuration(JailPolicy policy, SystemPaths system, JailedProgram program);

    /**
     * The command that runs the program inside; its first word is an absolute path.
     *
     * @param system what the program sees of the host
     * @param log where the jail's own program writes what goes wrong, if it can write elsewhere
     *     than where the program inside writes, and where it finds its configuration
     */
    List<String> command(JailPolicy policy, SystemPaths system, JailedProgram program, JailLog log);
}
