package dev.perigee.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Classes of one package")
final class ClassCyclesTest {
    /**
     * How many classes reach themselves, where any do. A number only ever falls: lower it with the
     * cycles.
     */
    private static final Map<String, Integer> CYCLIC =
            Map.of("dev.perigee.worker.instance", 29);

    @Test
    @DisplayName("do not depend on each other in a circle, but for those that did before")
    void doNot() {
        var classes =
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.perigee.gateway", "dev.perigee.worker");
        var uses = new TreeMap<String, Set<String>>();
        for (var each : classes) {
            var used = uses.computeIfAbsent(outermost(each), _ -> new TreeSet<>());
            for (var dependency : each.getDirectDependenciesFromSelf()) {
                var target = dependency.getTargetClass();
                if (target.getPackageName().equals(each.getPackageName())) {
                    used.add(outermost(target));
                }
            }
            used.remove(outermost(each));
        }
        assertThat(uses).as("classes that are read").hasSizeGreaterThan(200);

        var cyclic = new TreeMap<String, Set<String>>();
        for (var name : uses.keySet()) {
            if (reaches(name, uses)) {
                int dot = name.lastIndexOf('.');
                cyclic.computeIfAbsent(name.substring(0, dot), _ -> new TreeSet<>())
                        .add(name.substring(dot + 1));
            }
        }
        cyclic.forEach(
                (room, names) ->
                        assertThat(names)
                                .as("classes of %s in circles", room)
                                .hasSizeLessThanOrEqualTo(CYCLIC.getOrDefault(room, 0)));
    }

    private static boolean reaches(String start, Map<String, Set<String>> uses) {
        var seen = new HashSet<String>();
        var open = new ArrayDeque<>(uses.getOrDefault(start, Set.of()));
        while (!open.isEmpty()) {
            var next = open.pop();
            if (next.equals(start)) {
                return true;
            }
            if (seen.add(next)) {
                open.addAll(uses.getOrDefault(next, Set.of()));
            }
        }
        return false;
    }

    private static String outermost(JavaClass each) {
        var name = each.getBaseComponentType().getName();
        int inner = name.indexOf('$');
        return inner < 0 ? name : name.substring(0, inner);
    }
}
