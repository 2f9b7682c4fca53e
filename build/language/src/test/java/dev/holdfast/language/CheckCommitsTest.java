package dev.holdfast.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommitsTest {
  private static final Path SCRIPT = Path.of("check-commits").toAbsolutePath();

  @TempDir Path repository;

  private record Result(int status, String output) {}

  @BeforeEach
  void createRepository() throws Exception {
    run("git", "init", "-q");
    commit("a.txt", "start: first commit", "Says why.");
  }

  private Result run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(repository.toFile());
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    for (String role : List.of("AUTHOR", "COMMITTER")) {
      builder.environment().put("GIT_" + role + "_NAME", "A Developer");
      builder.environment().put("GIT_" + role + "_EMAIL", "developer@example.org");
    }
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  private void commit(String file, String... paragraphs) throws Exception {
    Files.writeString(repository.resolve(file), String.join("\n", paragraphs));
    run("git", "add", ".");
    List<String> command = new ArrayList<>(List.of("git", "commit", "-q"));
    for (String paragraph : paragraphs) {
      command.addAll(List.of("-m", paragraph));
    }
    assertThat(run(command.toArray(String[]::new)).status()).isZero();
  }

  private Result checkLast() throws Exception {
    return run(SCRIPT.toString(), "HEAD~1..HEAD");
  }

  @Test
  void wellFormedCommitIsAccepted() throws Exception {
    commit("a.txt", "api/resource: name the engine once", "Two bundles had the pattern.");
    assertThat(checkLast()).isEqualTo(new Result(0, ""));
  }

  @Test
  void longSubjectIsRejected() throws Exception {
    commit("a.txt", "sparse: " + "word ".repeat(14), "Says why.");
    assertThat(checkLast().output()).contains("subject of 77 characters: write at most 72");
  }

  @Test
  void subjectWithoutAreaIsRejected() throws Exception {
    commit("a.txt", "Let a decision find that others made it", "Says why.");
    Result result = checkLast();
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.output())
        .contains("subject without area: write \"area: imperative subject\"");
  }

  @Test
  void subjectWithSeveralAreasIsRejected() throws Exception {
    commit("a.txt", "sparse, portal: fix it", "Says why.");
    Result result = checkLast();
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.output())
        .contains("subject with several areas: write one area, without a comma or space");
  }

  @Test
  void areaWithASpaceIsRejected() throws Exception {
    commit("a.txt", "node agent: fix it", "Says why.");
    assertThat(checkLast().output()).contains("subject with several areas");
  }

  @Test
  void upperCaseAfterTheColonAndFullStopAreRejected() throws Exception {
    commit("a.txt", "sparse: Fix it.", "Says why.");
    assertThat(checkLast().output()).contains("lower case").contains("full stop");
  }

  @Test
  void codeWithoutBodyIsRejected() throws Exception {
    commit("a.txt", "sparse: fix it");
    assertThat(checkLast().output()).contains("code changes without a body: say why");
  }

  @Test
  void documentsNeedNoBody() throws Exception {
    commit("a.md", "docs: name the disks");
    assertThat(checkLast()).isEqualTo(new Result(0, ""));
  }

  @Test
  void moveNeedsNoBody() throws Exception {
    run("git", "mv", "a.txt", "b.txt");
    run("git", "commit", "-q", "-m", "sparse: move a");
    assertThat(checkLast()).isEqualTo(new Result(0, ""));
  }

  @Test
  void longLineOfAMessageIsRejectedUnlessIndentedOrALink() throws Exception {
    Path message = repository.resolve("message");
    Files.writeString(message, "sparse: fix it\n\n" + "word ".repeat(15) + "\n");
    assertThat(run(SCRIPT.toString(), "--message", message.toString()).output())
        .contains("line 3 of 75 characters");
    Files.writeString(
        message,
        "sparse: fix it\n\nWhy:\n  " + "word ".repeat(15) + "\nhttps://" + "a".repeat(80) + "\n");
    assertThat(run(SCRIPT.toString(), "--message", message.toString()))
        .isEqualTo(new Result(0, ""));
  }

  @Test
  void messageFileIsCheckedWithoutItsComments() throws Exception {
    Path message = Files.writeString(repository.resolve("message"), "Fix\n\nWhy.\n# A comment.\n");
    assertThat(run(SCRIPT.toString(), "--message", message.toString()).output())
        .contains("subject without area");
    Files.writeString(message, "sparse: fix it\n\nWhy.\n# " + "word ".repeat(30) + "\n");
    assertThat(run(SCRIPT.toString(), "--message", message.toString()))
        .isEqualTo(new Result(0, ""));
  }

  @Test
  void cloneWithoutTheFirstCommitIsReported() throws Exception {
    Result result = run(SCRIPT.toString());
    assertThat(result.status()).isZero();
    assertThat(result.output()).contains("messages not checked: fetch the full history");
  }
}
