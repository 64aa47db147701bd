package dev.perigee.faults;

import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Runs what is annotated where all programs are there. */
final class NeededPrograms implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), NeedsProgram.class)
                .map(needed -> judge(needed.value(), Program::missing, Program::isRequired))
                .orElseGet(() -> ConditionEvaluationResult.enabled("needs no program"));
    }

    static ConditionEvaluationResult judge(
            Program[] needed,
            Function<Program, @Nullable String> look,
            Predicate<Program> isRequired) {
        for (var program : needed) {
            var missing = look.apply(program);
            if (missing != null) {
                if (isRequired.test(program)) {
                    throw new AssertionError(missing);
                }
                return ConditionEvaluationResult.disabled("skipped: " + missing);
            }
        }
        return ConditionEvaluationResult.enabled("all programs are there");
    }
}
