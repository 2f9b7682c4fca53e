package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets of the node on this host, without a node. No output shows a value. */
class SecretCommandsTest {
  private static final String PLANTED = "planted-value-31415";

  @TempDir Path data;
  private final StringBuilder shown = new StringBuilder();
  private InputStream input;

  @BeforeEach
  void keepInput() {
    input = System.in;
  }

  @AfterEach
  void restoreInput() {
    System.setIn(input);
    assertThat(shown).doesNotContain(PLANTED);
  }

  private NodelessCommand run(String... arguments) {
    List<String> words = new ArrayList<>(List.of(arguments));
    words.addAll(List.of("--data", data.toString()));
    NodelessCommand ended = NodelessCommand.run(words.toArray(String[]::new));
    shown.append(ended.out()).append(ended.err());
    return ended;
  }

  private NodelessCommand typed(String text, String... arguments) {
    System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    return run(arguments);
  }

  private Path file(String key) {
    return data.resolve("secrets/minio").resolve(key);
  }

  @Test
  void valueOfTheInputIsKeptWithoutItsLineEnd() {
    assertThat(typed(PLANTED + "\n", "secret", "set", "minio", "ID"))
        .isEqualTo(new NodelessCommand(0, "secret minio: ID is set on this host", ""));

    assertThat(file("ID")).hasContent(PLANTED).hasSize(PLANTED.length());
  }

  @Test
  void valueOfAFileIsKeptAsItIs() throws Exception {
    Path given = Files.writeString(data.resolve("given"), PLANTED + "\n\n");
    assertThat(run("secret", "set", "minio", "CERT", "--from-file", given.toString()).exitCode())
        .isZero();

    assertThat(file("CERT")).hasContent(PLANTED + "\n\n");
    assertThat(run("secret", "set", "minio", "CERT", "--from-file", data + "/absent"))
        .isEqualTo(
            new NodelessCommand(
                1,
                "",
                "holdfast: --from-file " + data + "/absent: cannot be read: NoSuchFileException"));
  }

  @Test
  void listShowsKeysOnly() {
    assertThat(run("secret", "list").out()).startsWith("No secrets on this host.");
    typed(PLANTED, "secret", "set", "minio", "SECRET");
    typed(PLANTED, "secret", "set", "minio", "ID");

    assertThat(run("secret", "list").out())
        .isEqualTo(
            """
            NAME    KEYS
            minio   ID, SECRET""");
    assertThat(run("secret", "list", "-o", "json").out())
        .contains("\"name\" : \"minio\"", "\"ID\"", "\"SECRET\"");
  }

  @Test
  void deletionRemovesValuesAndSecrets() {
    typed(PLANTED, "secret", "set", "minio", "SECRET");
    typed(PLANTED, "secret", "set", "minio", "ID");

    assertThat(run("secret", "delete", "minio", "ID").out())
        .isEqualTo("secret minio: ID is deleted on this host");
    assertThat(file("ID")).doesNotExist();
    assertThat(run("secret", "delete", "minio").exitCode()).isZero();
    assertThat(file("SECRET")).doesNotExist();
    assertThat(run("secret", "delete", "minio"))
        .isEqualTo(
            new NodelessCommand(1, "", "holdfast: secret minio: does not exist on this node"));
  }

  @Test
  void valueIsNotAnArgument() {
    NodelessCommand ended = typed("", "secret", "set", "minio", "ID", "another-word");
    assertThat(ended.exitCode()).isEqualTo(2);
    assertThat(data.resolve("secrets")).doesNotExist();

    assertThat(typed("\n", "secret", "set", "minio", "ID").err())
        .contains("secret minio, key ID: expected a value of 1 to");
    assertThat(typed(PLANTED, "secret", "set", "../x", "ID").err()).contains("name of a secret");
  }
}
