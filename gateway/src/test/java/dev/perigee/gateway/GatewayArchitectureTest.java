package dev.perigee.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class GatewayArchitectureTest {

    private static final String ROOT = "dev.perigee.gateway";
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages(ROOT);

    @Test
    void readsTheseClassFiles() {
        assertThat(CLASSES).isNotEmpty();
    }

    @Test
    void dependsOnNothingItMustNotKnow() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.perigee.worker..",
                        "dev.perigee.local..",
                        "dev.perigee.testing..",
                        "dev.perigee.client..")
                .because(
                        "gateway and worker know each other only through protocol and link;"
                                + " protocol's client is for backends")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void runsNoPrograms() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(ProcessBuilder.class, Process.class)
                .because("a gateway has all users' configurations, and runs nothing of theirs")
                .check(CLASSES);
    }

    @Test
    void consistsOfTheNamedPackages() {
        var named =
                Stream.concat(
                        Stream.of(ROOT),
                        Stream.of(
                                        "inbound",
                                        "deadletter",
                                        "partition",
                                        "placement",
                                        "quarantine",
                                        "link",
                                        "outbound",
                                        "secret",
                                        "admin")
                                .map(name -> ROOT + "." + name + ".."));
        classes()
                .should()
                .resideInAnyPackage(named.toArray(String[]::new))
                .because("the folder tree is the architecture; a new package is a decision")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void hasNoPackageCycles() {
        slices().matching(ROOT + ".(*)..")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void logsThroughSlf4jOnly() {
        NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.allowEmptyShould(true).check(CLASSES);
        noClasses().should(ACCESS_STANDARD_STREAMS).allowEmptyShould(true).check(CLASSES);
    }
}
