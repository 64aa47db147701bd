package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.isolation.SyscallRule.Condition;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The filter of system calls, in the two forms that jails take: instructions for the kernel, and
 * the text of a policy for nsjail. Pure; both come from the same {@link SyscallList} and {@link
 * SyscallRule}s.
 */
final class SyscallFilter {
    private static final int INSTRUCTION_BYTES = 8;

    /** Where the kernel's description of a call has its number, convention and arguments. */
    private static final int NUMBER = 0;

    private static final int CONVENTION = 4;
    private static final int FIRST_ARGUMENT = 16;
    private static final int ARGUMENT_BYTES = 8;

    /** Those that a rule looks at are among them. */
    private static final String ARGUMENTS = "a0, a1, a2, a3";

    private static final short LOAD = 0x20;
    private static final short AND = 0x54;
    private static final short IF_EQUAL = 0x15;
    private static final short IF_GREATER = 0x25;
    private static final short IF_AT_LEAST = 0x35;
    private static final short RETURN = 0x06;
    private static final int ALLOW = 0x7fff_0000;
    private static final int ERRNO = 0x0005_0000;

    private final ProcessorArchitecture machine;
    private final SyscallList list;

    SyscallFilter(ProcessorArchitecture machine) {
        this.machine = machine;
        this.list = SyscallList.of(machine);
    }

    /** One instruction; the jumps count instructions that are skipped. */
    private record Instruction(short code, int ifTrue, int ifFalse, int value) {}

    /** Numbers that follow each other. */
    private record Range(int first, int last) {}

    /** For bubblewrap: instructions of 8 bytes, as seccomp takes them. */
    byte[] instructions() {
        var program = new ArrayList<Instruction>();
        program.add(load(CONVENTION));
        program.add(new Instruction(IF_EQUAL, 1, 0, machine.audit));
        program.add(refuse(SyscallRule.ENOSYS));
        program.add(load(NUMBER));
        // Newer ones, and those of x86_64's other convention, x32.
        program.add(new Instruction(IF_GREATER, 0, 1, list.highest()));
        program.add(refuse(SyscallRule.ENOSYS));
        for (var rule : SyscallRule.ALL) {
            var body = body(rule);
            program.add(new Instruction(IF_EQUAL, 0, body.size(), list.number(rule.name())));
            program.addAll(body);
        }
        for (var range : ranges()) {
            program.add(new Instruction(IF_AT_LEAST, 0, 2, range.first()));
            program.add(new Instruction(IF_GREATER, 1, 0, range.last()));
            program.add(new Instruction(RETURN, 0, 0, ALLOW));
        }
        program.add(refuse(SyscallRule.EPERM));
        return bytes(program);
    }

    private static List<Instruction> body(SyscallRule rule) {
        var body = new ArrayList<Instruction>();
        for (var refusal : rule.refused()) {
            body.addAll(answer(refusal.conditions(), refuse(refusal.errno())));
        }
        for (var conditions : rule.allowed()) {
            body.addAll(answer(conditions, new Instruction(RETURN, 0, 0, ALLOW)));
        }
        body.add(refuse(rule.errno()));
        return body;
    }

    /** Given where all conditions hold. */
    private static List<Instruction> answer(List<Condition> conditions, Instruction given) {
        var group = new ArrayList<Instruction>();
        for (var condition : conditions) {
            group.add(load(FIRST_ARGUMENT + condition.argument() * ARGUMENT_BYTES));
            group.add(new Instruction(AND, 0, 0, condition.mask()));
            group.add(new Instruction(IF_EQUAL, 0, 0, condition.value()));
        }
        group.add(given);
        leaveWhereOneFails(group, conditions);
        return group;
    }

    /** Where a condition does not hold, the rest of its group is skipped. */
    private static void leaveWhereOneFails(List<Instruction> group, List<Condition> conditions) {
        int at = 2;
        for (var condition : conditions) {
            int rest = group.size() - at - 1;
            var test = group.get(at);
            group.set(
                    at,
                    condition.equal()
                            ? new Instruction(test.code(), 0, rest, test.value())
                            : new Instruction(test.code(), rest, 0, test.value()));
            at += 3;
        }
    }

    private List<Range> ranges() {
        var ranges = new ArrayList<Range>();
        for (var number : list.unconditional()) {
            if (!ranges.isEmpty() && ranges.getLast().last() == number - 1) {
                ranges.set(ranges.size() - 1, new Range(ranges.getLast().first(), number));
            } else {
                ranges.add(new Range(number, number));
            }
        }
        return ranges;
    }

    private static Instruction load(int offset) {
        return new Instruction(LOAD, 0, 0, offset);
    }

    private static Instruction refuse(int errno) {
        return new Instruction(RETURN, 0, 0, ERRNO | errno);
    }

    private static byte[] bytes(List<Instruction> program) {
        var bytes =
                ByteBuffer.allocate(program.size() * INSTRUCTION_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        for (var one : program) {
            bytes.putShort(one.code())
                    .put((byte) one.ifTrue())
                    .put((byte) one.ifFalse())
                    .putInt(one.value());
        }
        return bytes.array();
    }

    /** For nsjail: a policy in the language of Kafel. */
    String policy() {
        var allowed =
                list.unconditional().stream()
                        .map("SYSCALL[%d]"::formatted)
                        .collect(Collectors.joining(", "));
        var rules = SyscallRule.ALL.stream().map(this::text).collect(Collectors.joining(",\n"));
        return "POLICY perigee {\nALLOW { %s },\n%s\n}\nUSE perigee DEFAULT ERRNO(%d)\n"
                .formatted(allowed, rules, SyscallRule.EPERM);
    }

    private String text(SyscallRule rule) {
        var number = list.number(rule.name());
        if (rule.allowed().isEmpty()) {
            return "ERRNO(%d) { SYSCALL[%d] }".formatted(rule.errno(), number);
        }
        var name = "%s(%s)".formatted(rule.name(), ARGUMENTS);
        var lines = new ArrayList<String>();
        rule.refused().forEach(it -> lines.add(line(it, name)));
        var others =
                rule.refused().stream()
                        .map(it -> "!%s && ".formatted(all(it.conditions())))
                        .collect(Collectors.joining());
        var holds =
                rule.allowed().stream().map(SyscallFilter::all).collect(Collectors.joining(" || "));
        lines.add("ALLOW { %s { %s } }".formatted(name, within(others, holds)));
        lines.add("ERRNO(%d) { %s { %s!(%s) } }".formatted(rule.errno(), name, others, holds));
        return String.join(",\n", lines);
    }

    private static String line(SyscallRule.Refusal refusal, String name) {
        return "ERRNO(%d) { %s { %s } }"
                .formatted(refusal.errno(), name, all(refusal.conditions()));
    }

    private static String within(String others, String holds) {
        return others.isEmpty() ? holds : "%s(%s)".formatted(others, holds);
    }

    private static String all(List<Condition> conditions) {
        return conditions.stream()
                .map(SyscallFilter::text)
                .collect(Collectors.joining(" && ", "(", ")"));
    }

    private static String text(Condition condition) {
        return "(a%d & 0x%x) %s 0x%x"
                .formatted(
                        condition.argument(),
                        condition.mask(),
                        condition.equal() ? "==" : "!=",
                        condition.value());
    }
}
