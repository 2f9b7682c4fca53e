package dev.holdfast.libexec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The start of a node, with programs that stand for the node. */
class StartTest {
  private static final Path CONFIGURATION =
      Shell.ROOT.resolve("karaf-assembly/src/main/resources/etc/org.ops4j.pax.logging.cfg");

  /** Ready when a file is there; the store of the node is its own. */
  private static final String NODE =
      "is_ready() { [ -e \"$data/ready\" ]; }; store_trouble() { :; };"
          + " has_store_elsewhere() { return 1; }; ";

  @TempDir Path folder;
  private Path data;

  @BeforeEach
  void makeDirectory() throws Exception {
    data = Files.createDirectory(folder.resolve("data"));
  }

  private Shell shell(int limit) {
    return new Shell(folder).with("HOLDFAST_START_TIMEOUT", String.valueOf(limit));
  }

  /** Works for 4 s, longer than the time limit, and then is ready. */
  @Test
  void nodeThatWorksIsWaitedForAfterTheTimeLimit() throws Exception {
    Shell.Ended ended =
        shell(2)
            .functions(
                data,
                NODE
                    + "(SECONDS=0; until [ $SECONDS -ge 4 ]; do :; done; touch \"$data/ready\";"
                    + " exec sleep 60) & trap \"kill $!\" EXIT; await_ready $!");

    assertThat(ended.succeeded().out()).contains("not ready after 2 s, still starting");
  }

  @Test
  void nodeThatOnlyWaitsIsGivenUpAtTheTimeLimit() throws Exception {
    Shell.Ended ended =
        shell(1).functions(data, NODE + "sleep 60 & trap \"kill $!\" EXIT; await_ready $!");

    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.out()).doesNotContain("still starting");
  }

  @Test
  void nodeThatWorksWithoutEndIsGivenUp() throws Exception {
    Shell.Ended ended =
        shell(1)
            .functions(
                data, NODE + "(while :; do :; done) & trap \"kill $!\" EXIT; await_ready $!");

    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.out()).contains("still starting");
  }

  @Test
  void formatOfTheLogChangesThereAndBack() throws Exception {
    Path file = data.resolve(CONFIGURATION.getFileName());
    Files.copy(CONFIGURATION, file);

    new Shell(folder).functions(data, "format_log json \"$data\"").succeeded();
    assertThat(Files.readString(file))
        .doesNotContain("PatternLayout")
        .contains("appender.file.layout.eventTemplateUri = ${holdfast.log.template}\n");

    new Shell(folder).functions(data, "format_log text \"$data\"").succeeded();
    assertThat(file).hasSameTextualContentAs(CONFIGURATION);
  }

  @Test
  void layoutOfTheOwnerStays() throws Exception {
    Path file = data.resolve(CONFIGURATION.getFileName());
    String own =
        Files.readString(CONFIGURATION)
            .replaceAll("layout.type = PatternLayout", "layout.type = X");
    Files.writeString(file, own);

    new Shell(folder).functions(data, "format_log json \"$data\"").succeeded();

    assertThat(file).content().contains("layout.type = X").doesNotContain("JsonTemplateLayout");
  }

  @Test
  void unknownFormatIsRefused() throws Exception {
    Shell.Ended ended =
        new Shell(folder).holdfast("up", "--data", data.toString(), "--log-format", "xml");

    assertThat(ended.exitCode()).isEqualTo(2);
    assertThat(ended.err()).contains("--log-format \"xml\": expected text or json");
  }
}
