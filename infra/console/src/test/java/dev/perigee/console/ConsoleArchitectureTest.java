package dev.perigee.console;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

final class ConsoleArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("dev.perigee.console");

    @Test
    void knowsOfTheGatewayWhatItShows() {
        classes()
                .should()
                .onlyDependOnClassesThat(
                        resideOutsideOfPackage("dev.perigee..")
                                .or(
                                        resideInAnyPackage(
                                                "dev.perigee.console",
                                                "dev.perigee.protocol..",
                                                "dev.perigee.gateway",
                                                "dev.perigee.gateway.admin",
                                                "dev.perigee.gateway.deadletter",
                                                "dev.perigee.gateway.inbound",
                                                "dev.perigee.gateway.link",
                                                "dev.perigee.gateway.partition")))
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
    void logsThroughSlf4jOnly() {
        NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(CLASSES);
        noClasses().should(ACCESS_STANDARD_STREAMS).check(CLASSES);
    }
}
