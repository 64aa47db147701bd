package dev.perigee.worker.process.isolation;

/** A kind of processor whose system calls are numbered in a way of its own. */
enum ProcessorArchitecture {
    X86_64(1, 0xc000_003e),
    AARCH64(2, 0xc000_00b7);

    /** Where a line of the list has its number. */
    final int column;

    /** AUDIT_ARCH_…, by which the kernel names the convention of a call. */
    final int audit;

    ProcessorArchitecture(int column, int audit) {
        this.column = column;
        this.audit = audit;
    }

    /**
     * By Java's {@code os.arch}.
     *
     * @throws IllegalStateException for one without a list of system calls
     */
    static ProcessorArchitecture of(String architecture) {
        return switch (architecture) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64" -> AARCH64;
            default ->
                    throw new IllegalStateException(
                            "Servers are to be jailed, and there is no list of system calls for %s: use x86_64 or aarch64; or %s"
                                    .formatted(architecture, IsolationMode.TRUSTED));
        };
    }
}
