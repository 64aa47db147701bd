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
    @Test
    @DisplayName("do not depend on each other in a circle")
    void doNot() {
        var classes =
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages(
                                "dev.perigee.console",
                                "dev.perigee.gateway",
                                "dev.perigee.worker",
                                "dev.perigee.link");
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

        assertThat(uses.keySet().stream().filter(name -> reaches(name, uses)))
                .as("classes in circles")
                .isEmpty();
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
