package dev.perigee.local;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.PrintStream;
import java.io.Writer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class LocalArchitectureTest {

    private static final String ROOT = "dev.perigee.local";
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
                .resideInAnyPackage("dev.perigee.testing..")
                .because("the product does not depend on its tests")
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
    @DisplayName("TEN-18: all that commands print passes the printer, which makes it safe")
    void printsThroughThePrinterOnly() {
        var commands =
                noClasses()
                        .that()
                        .resideInAPackage(ROOT + ".cli")
                        .and()
                        .doNotHaveSimpleName("Printer");
        commands.should()
                .accessTargetWhere(
                        target(owner(assignableTo(Writer.class)))
                                .or(target(owner(assignableTo(PrintStream.class))))
                                .or(target(name("getOut")))
                                .or(target(name("getErr"))))
                .check(CLASSES);
        commands.should(ACCESS_STANDARD_STREAMS).check(CLASSES);
    }

    /** ADR 0015 says why. */
    @Test
    @DisplayName("no producer of the product has more than one request under way")
    void producesThroughTheTwoThatSetIt() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.perigee.client.KafkaConnection")
                .and()
                .doNotHaveFullyQualifiedName("dev.perigee.gateway.KafkaClients")
                .should()
                .callConstructorWhere(target(owner(assignableTo(KafkaProducer.class))))
                .check(
                        new ClassFileImporter()
                                .withImportOption(new ImportOption.DoNotIncludeTests())
                                .importPackages(
                                        ROOT,
                                        "dev.perigee.client",
                                        "dev.perigee.console",
                                        "dev.perigee.gateway",
                                        "dev.perigee.part"));
    }

    @Test
    void logsThroughSlf4jOnly() {
        NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.allowEmptyShould(true).check(CLASSES);
    }
}
