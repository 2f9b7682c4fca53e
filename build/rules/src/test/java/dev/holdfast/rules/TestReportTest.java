package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which tests of whole containers count as passed after their second run. */
class TestReportTest {
  private static final Path SCRIPT = Path.of("../../itests/lib/test-report");
  private static final String LATE = "not within PT1M: the volume is attached";
  private static final String WRONG = "Expecting actual: 1 to be equal to: 2";

  @TempDir Path tree;

  @BeforeEach
  void copyScript() throws Exception {
    Path script = Files.createDirectories(tree.resolve("itests/lib")).resolve("test-report");
    Files.copy(SCRIPT, script);
    Path sources = Files.createDirectories(tree.resolve("itests/src/test/java"));
    Files.writeString(sources.resolve("PageE2E.java"), "@Tag(\"repeatable\")\nclass PageE2E {");
    Files.writeString(sources.resolve("DataE2E.java"), "class DataE2E {");
  }

  /** Writes the report of a test that passed at its second run, and returns what is printed. */
  private String reportOf(String module, String className, String message, String type)
      throws Exception {
    Path reports = Files.createDirectories(tree.resolve(module + "/target/failsafe-reports"));
    Files.writeString(
        reports.resolve("TEST-" + className + ".xml"),
        """
        <testsuite name="%1$s" time="1.5" tests="1">
          <testcase name="works" classname="%1$s" time="1.5">
            <flakyFailure message="%2$s&#10;second line" type="%3$s">
              <stackTrace><![CDATA[at X]]></stackTrace>
            </flakyFailure>
          </testcase>
        </testsuite>
        """
            .formatted(className, message, type));
    Process process =
        new ProcessBuilder(tree.resolve("itests/lib/test-report").toString())
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed;
  }

  private String reportOfContainers(String className, String message) throws Exception {
    return reportOf("itests", "dev.holdfast.itests." + className, message, "AssertionError");
  }

  @Test
  void wrongDataAtTheFirstRunIsAFailure() throws Exception {
    assertThat(reportOfContainers("DataE2E", WRONG))
        .contains("\nFAILED at the first run, which judges data: dev.holdfast.itests.DataE2E works")
        .contains(WRONG)
        .endsWith("0 passed, 1 failed, 0 skipped\n");
  }

  @Test
  void exceededLimitAtTheFirstRunIsReportedOnly() throws Exception {
    assertThat(reportOfContainers("DataE2E", LATE))
        .contains("UNSTEADY")
        .endsWith("1 passed, 0 failed, 0 skipped\n");
    assertThat(
            reportOf(
                "itests",
                "dev.holdfast.itests.DataE2E",
                "works() timed out after 5 minutes",
                "java.util.concurrent.TimeoutException"))
        .endsWith("1 passed, 0 failed, 0 skipped\n");
  }

  @Test
  void limitThatIsNamedLaterInTheMessageDoesNotCount() throws Exception {
    assertThat(reportOfContainers("DataE2E", WRONG + "; " + LATE))
        .endsWith("0 passed, 1 failed, 0 skipped\n");
  }

  @Test
  void otherClassesMayFailAtFirst() throws Exception {
    assertThat(reportOfContainers("PageE2E", WRONG)).endsWith("1 passed, 0 failed, 0 skipped\n");
    assertThat(
            reportOf("engines/sparse", "dev.holdfast.engine.sparse.ATest", WRONG, "AssertionError"))
        .contains("UNSTEADY")
        .contains("2 passed, 0 failed");
  }
}
