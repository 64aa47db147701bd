package dev.perigee.worker.process.packages;

/** Package managers. */
enum PackageManager {
    /** For {@code npx}. */
    NPM("npm"),
    /** For {@code uvx}. */
    UV("uv");

    private final String wireName;

    PackageManager(String wireName) {
        this.wireName = wireName;
    }

    /** As people know it, and in directory names. */
    String wireName() {
        return wireName;
    }
}
