package dev.holdfast.resource.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.FieldError;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The field checks of jobs, and which volumes they select. */
class RecurringJobTest {
  private static final RecurringJobSpec NIGHTLY =
      RecurringJobSpec.EMPTY.withTask("backup").withCron("0 3 * * *").withRetain(7);

  private static List<String> errors(UnaryOperator<RecurringJobSpec> change) {
    return errors("nightly", change);
  }

  private static List<String> errors(String name, UnaryOperator<RecurringJobSpec> change) {
    return RecurringJob.of(name, change.apply(NIGHTLY)).validate().stream()
        .map(RecurringJobTest::text)
        .toList();
  }

  private static String text(FieldError error) {
    return error.field() + ": " + error.message();
  }

  @Test
  void validJobHasNoErrors() {
    assertThat(errors(spec -> spec)).isEmpty();
    assertThat(
            errors(
                spec ->
                    spec.withTimeZone("Europe/Berlin")
                        .withGroups(List.of("default", "db"))
                        .withParameters(Map.of("full-backup-interval", "7"))
                        .withStartingDeadlineSeconds(3600)))
        .isEmpty();
  }

  @Test
  void wrongFieldsAreNamedWithTheRemedy() {
    assertThat(errors(spec -> spec.withCron("0 25 * * *")))
        .containsExactly(
            "spec.cron: Invalid value: \"0 25 * * *\": at character 3: hour \"25\": must be 0 to"
                + " 23");
    assertThat(errors(spec -> spec.withTimeZone("Mars/Base")))
        .singleElement()
        .asString()
        .startsWith("spec.timeZone: Invalid value: \"Mars/Base\": must be a name of the IANA");
    assertThat(errors(spec -> spec.withRetain(0)))
        .singleElement()
        .asString()
        .contains("spec.retain", "must be 1 to 250");
    assertThat(errors(spec -> spec.withConcurrency(0)))
        .singleElement()
        .asString()
        .contains("spec.concurrency", "must be 1 to 100");
    assertThat(errors(spec -> spec.withStartingDeadlineSeconds(5)))
        .singleElement()
        .asString()
        .contains("spec.startingDeadlineSeconds", "at least 60");
    assertThat(errors(spec -> spec.withGroups(List.of("A b"))))
        .singleElement()
        .asString()
        .contains("spec.groups", "A b");
    assertThat(errors("n".repeat(41), spec -> spec))
        .singleElement()
        .asString()
        .contains("metadata.name", "at most 40 characters");
  }

  @Test
  void unsupportedTasksAreRefusedWithTheCause() {
    assertThat(errors(spec -> spec.withTask("")))
        .containsExactly(
            "spec.task: Invalid value: \"\": must be one of snapshot, snapshot-force-create,"
                + " snapshot-delete, snapshot-cleanup, backup, backup-force-create, backup-verify,"
                + " filesystem-trim, system-backup");
    assertThat(errors(spec -> spec.withTask("filesystem-trim"))).isEmpty();
    assertThat(
            RecurringJob.of("nightly", NIGHTLY.withTask("snapshot"))
                .validateChange(RecurringJob.of("nightly", NIGHTLY)))
        .extracting(FieldError::field)
        .containsExactly("spec.task");
  }

  @Test
  void parametersOfOtherTasksAreRefused() {
    Map<String, String> full = Map.of("full-backup-interval", "7");
    assertThat(errors(spec -> spec.withTask("snapshot").withParameters(full))).hasSize(1);
    assertThat(errors(spec -> spec.withParameters(Map.of("full-backup-interval", "x")))).hasSize(1);
    assertThat(errors(spec -> spec.withParameters(Map.of("other", "7")))).hasSize(1);
    Map<String, String> policy = Map.of("volume-backup-policy", "always");
    assertThat(errors(spec -> spec.withParameters(policy))).hasSize(1);
    assertThat(errors(spec -> spec.withTask("system-backup").withParameters(policy))).isEmpty();
    assertThat(errors(spec -> spec.withTask("system-backup").withParameters(full))).hasSize(1);
    Map<String, String> wrong = Map.of("volume-backup-policy", "sometimes");
    assertThat(errors(spec -> spec.withTask("system-backup").withParameters(wrong))).hasSize(1);
    assertThat(errors(spec -> spec.withLabels(Map.of("RecurringJob", "x")))).hasSize(1);
  }

  @Test
  void volumesSelectByJobGroupAndDefaultGroup() {
    Map<String, String> byJob = Map.of(RecurringJob.jobLabel("nightly"), "enabled");
    Map<String, String> byGroup = Map.of(RecurringJob.groupLabel("db"), "enabled");
    Map<String, String> off = Map.of(RecurringJob.groupLabel("db"), "disabled");
    RecurringJob none = RecurringJob.of("nightly", NIGHTLY);
    RecurringJob ofGroup = none.withSpec(NIGHTLY.withGroups(List.of("db")));
    RecurringJob ofAll = none.withSpec(NIGHTLY.withGroups(List.of("default")));

    assertThat(List.of(none, ofGroup, ofAll)).allMatch(job -> job.selects(byJob));
    assertThat(none.selects(byGroup)).isFalse();
    assertThat(ofGroup.selects(byGroup)).isTrue();
    assertThat(ofAll.selects(byGroup)).isFalse();
    assertThat(none.selects(Map.of())).isFalse();
    assertThat(ofGroup.selects(off)).isFalse();
    assertThat(ofAll.selects(off)).isTrue();
    assertThat(ofAll.selects(Map.of("app", "db"))).isTrue();
    assertThat(ofAll.selects(Map.of(RecurringJob.groupLabel("default"), "enabled"))).isTrue();
  }
}
