package dev.perigee.protocol;

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

final class ProtocolArchitectureTest {

    private static final String ROOT = "dev.perigee.protocol";
    private static final String CLIENT = "dev.perigee.client";
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
                        "dev.perigee.client..",
                        "dev.perigee.link..",
                        "dev.perigee.gateway..",
                        "dev.perigee.worker..",
                        "dev.perigee.local..",
                        "dev.perigee.testing..",
                        "org.apache.kafka..")
                .because("protocol is what crosses a boundary; it depends on nothing of ours")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void itsClientDependsOnNothingElseOfOurs() {
        var client =
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages(CLIENT);
        assertThat(client).isNotEmpty();
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        CLIENT,
                        ROOT + "..",
                        "java..",
                        "org.apache.kafka..",
                        "org.jspecify..",
                        "org.slf4j..")
                .because("a backend gets the protocol and a Kafka client, and nothing more")
                .check(client);
    }

    @Test
    void consistsOfTheNamedPackages() {
        var named =
                Stream.concat(
                        Stream.of(ROOT),
                        Stream.of(
                                        "command",
                                        "tool",
                                        "event",
                                        "config",
                                        "topic",
                                        "link",
                                        "json",
                                        "settings",
                                        "limit",
                                        "access",
                                        "tls",
                                        "trace",
                                        "audit")
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
