package dev.holdfast.libexec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings that {@code up} keeps in {@code holdfast.env} for the next start. */
class SettingsTest {
  /** As release 0.1.0 wrote it. */
  private static final String OLDEST =
      """
      name=a
      address=127.0.0.1
      advertised_address=
      api_port=17443
      nbd_port=10809
      ssh_port=8101
      disks=3
      """;

  @TempDir Path folder;
  private Path data;
  private Path file;
  private Shell shell;

  @BeforeEach
  void makeUsedDirectory() throws Exception {
    data = Files.createDirectory(folder.resolve("data"));
    file = data.resolve("holdfast.env");
    Files.createFile(data.resolve("node.id"));
    shell = new Shell(folder);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          '', it is empty
          '\0\0\0\0', its last line is not complete
          'name=a\naddress=1', its last line is not complete
          'name=a\naddress=127.0.0.1\n', it has no value of api_port
          'name=a\naddress=127.0.0.1\napi_port=x\n', api_port is not a number
          """)
  void damagedSettingsOfUsedDirectoryEndEveryCommand(String content, String reason)
      throws Exception {
    Files.writeString(file, content);
    for (String command : List.of("status", "up")) {
      Shell.Ended ended = shell.holdfast(command, "--data", data.toString());
      assertThat(ended.exitCode()).isEqualTo(1);
      assertThat(ended.err())
          .startsWith("holdfast: " + file + ": damaged: " + reason + ", but a node has run in ")
          .endsWith(": holdfast up --data " + data + " --repair-settings");
    }
    assertThat(file).hasContent(content);
  }

  @Test
  void missingSettingsOfUsedDirectoryEndTheCommand() throws Exception {
    Shell.Ended ended = shell.holdfast("status", "--data", data.toString(), "-o", "json");
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.err()).startsWith("holdfast: " + file + ": missing, but a node has run in ");
  }

  @Test
  void lostSettingsOfFurtherNodeAreReported() throws Exception {
    Files.writeString(file, OLDEST);
    Path second = Files.createDirectories(data.resolve("nodes/node-2"));
    Files.createFile(second.resolve("node.id"));
    assertThat(shell.holdfast("status", "--data", data.toString()).err())
        .startsWith("holdfast: " + second + "/holdfast.env: missing")
        .endsWith("or run: holdfast up --data " + data + " --repair-settings");
  }

  @Test
  void newDirectoryHasDefaults() throws Exception {
    Files.delete(data.resolve("node.id"));
    assertThat(shell.functions(data, "load_settings; echo ${setting[api_port]}").succeeded().out())
        .isEqualTo("7443");
  }

  @Test
  void settingsOfTheOldestReleaseAreRead() throws Exception {
    Files.writeString(file, OLDEST);
    assertThat(shell.functions(data, "load_settings; echo ${setting[api_port]}").succeeded().out())
        .isEqualTo("17443");
  }

  @Test
  void settingsAreOnTheDiskBeforeTheyReplaceTheFormerOnes() throws Exception {
    Files.writeString(file, OLDEST);
    String script =
        """
        sync() { echo "sync ${1#"$data"}"; }
        mv() { echo "mv ${1#"$data"} ${2#"$data"}"; command mv "$@"; }
        load_settings
        setting[api_port]=17444
        save_settings
        save_settings
        """;
    assertThat(shell.functions(data, script).succeeded().out())
        .isEqualTo("sync /holdfast.env.new\nmv /holdfast.env.new /holdfast.env\nsync");
    assertThat(file).content().contains("\napi_port=17444\n");
    assertThat(data.resolve("holdfast.env.new")).doesNotExist();
  }

  /** Files of this shell end after 1024 bytes, as on a full file system. */
  @ParameterizedTest
  @CsvSource({"if save_settings", "if ! save_settings"})
  void settingsThatCannotBeWrittenLeaveTheFile(String condition) throws Exception {
    Files.writeString(file, OLDEST);
    String script =
        """
        load_settings
        printf -v 'setting[advertised_address]' '%%2000s' x
        trap '' XFSZ
        ulimit -f 1
        %s; then echo continued; else echo continued; fi
        """;
    Shell.Ended ended = shell.functions(data, script.formatted(condition));
    assertThat(file).hasContent(OLDEST);
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.out()).isEmpty();
    assertThat(ended.err())
        .contains("holdfast: cannot write " + file + ", which stays as it is: make space");
    assertThat(data.resolve("holdfast.env.new")).doesNotExist();
  }

  @Test
  void repairKeepsTheDamagedFileAndTakesOptions() throws Exception {
    Files.writeString(file, "name=a\n");
    String script =
        """
        declare -A wanted=()
        foreground='' node='' join=''
        parse_up --data "$data" --repair-settings --name b
        load_settings
        apply_wanted
        save_settings
        """;
    shell.functions(data, script).succeeded();
    assertThat(file).content().startsWith("name=b\n");
    assertThat(data.resolve("holdfast.env.damaged")).hasContent("name=a\n");
    assertThat(shell.functions(data, "load_settings").exitCode()).isZero();
  }

  @Test
  void repairLeavesGoodSettings() throws Exception {
    Files.writeString(file, OLDEST);
    String script = "repair=yes; load_settings; echo ${setting[name]}";
    assertThat(shell.functions(data, script).succeeded().out()).isEqualTo("a");
  }

  @Test
  void nodeWithLostSettingsCanBeStopped() throws Exception {
    Shell.Ended ended = shell.functions(data, "name_node; echo ${setting[name]}").succeeded();
    assertThat(ended.out()).isEqualTo("of " + data);
    assertThat(ended.err()).contains(file + ": missing");
  }

  @ParameterizedTest
  @CsvSource({"'',yes", "--no-demo,no", "--no-demo --demo,yes"})
  void demoIsWantedUntilNoDemoIsGiven(String options, String wanted) throws Exception {
    String script =
        """
        declare -A wanted=()
        foreground='' node='' join=''
        parse_up --data "$data" %s
        repair=yes load_settings
        apply_wanted
        save_settings
        load_settings
        if wants_demo; then echo yes; else echo no; fi
        """;
    assertThat(shell.functions(data, script.formatted(options)).succeeded().out())
        .isEqualTo(wanted);
  }

  @Test
  void usedDirectoryWithFurtherFilesCanBeRepaired() throws Exception {
    Files.createFile(data.resolve("notes.txt"));
    Shell.Ended ended = shell.functions(data, "prepare_data \"$data\"").succeeded();
    assertThat(ended.out()).isEqualTo(data.toRealPath().toString());

    Files.delete(data.resolve("node.id"));
    assertThat(shell.functions(data, "prepare_data \"$data\"").err())
        .startsWith("holdfast: " + data + " is not a data directory, it has notes.txt");
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void furtherNodesOfSharedStoreWantTheDemoAsTheFirst(boolean known) throws Exception {
    Path second = Files.createDirectories(data.resolve("nodes/node-2"));
    if (known) {
      Files.writeString(second.resolve("holdfast.env"), OLDEST + "store=etcd\n");
    }
    String script =
        """
        declare -A wanted=([demo]=no)
        foreground='' node='' join=''
        start_node() { save_settings; }
        default_settings
        setting[store]=etcd
        apply_wanted
        start_nth 2
        """;
    shell.functions(data, script).succeeded();
    assertThat(second.resolve("holdfast.env")).content().contains("\ndemo=no\n");
  }
}
