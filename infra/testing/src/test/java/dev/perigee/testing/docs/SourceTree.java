package dev.perigee.testing.docs;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Files of a checkout that are the project's own, which no test that runs meanwhile changes. */
public final class SourceTree {
    private static final Set<String> NOT_OURS = Set.of(".git", "target", "node_modules");

    private SourceTree() {}

    /** All below the root, in no order. */
    public static List<Path> files(Path root) throws IOException {
        var files = new ArrayList<Path>();
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes ignored) {
                        return NOT_OURS.contains(String.valueOf(folder.getFileName()))
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes ignored) {
                        files.add(file);
                        return FileVisitResult.CONTINUE;
                    }
                });
        return files;
    }
}
