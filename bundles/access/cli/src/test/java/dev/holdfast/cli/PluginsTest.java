package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars in folders beside the program add backup targets. */
class PluginsTest {
  private static final String FOLDERS = "holdfast.cli.plugins";

  @TempDir Path folder;

  @AfterEach
  void forgetFolders() {
    System.clearProperty(FOLDERS);
  }

  /** Answers with the credentials that it received. Only a jar of the test names it. */
  public static final class EchoTarget implements BackupTargetProvider {
    /** Creates the provider. */
    public EchoTarget() {}

    @Override
    public List<String> schemes() {
      return List.of("echo");
    }

    @Override
    public List<CredentialKey> credentials() {
      return List.of(
          new CredentialKey("PATH", false, "A variable that each process has."),
          new CredentialKey("HOLDFAST_ABSENT", true, "A variable that no process has."));
    }

    @Override
    public ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options)
        throws StorageException {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          credentials.keySet()
              + " "
              + new String(credentials.get("PATH"), StandardCharsets.UTF_8).length());
    }
  }

  private void plugin(String provider) throws Exception {
    try (JarOutputStream jar =
        new JarOutputStream(Files.newOutputStream(folder.resolve("plugin.jar")))) {
      jar.putNextEntry(new JarEntry("META-INF/services/" + BackupTargetProvider.class.getName()));
      jar.write(provider.getBytes(StandardCharsets.UTF_8));
      jar.closeEntry();
    }
  }

  @Test
  void targetOfAJarGetsItsCredentialsFromTheEnvironment() throws Exception {
    plugin(EchoTarget.class.getName());
    System.setProperty(FOLDERS, folder.resolve("absent") + ":" + folder + ":");
    StringWriter err = new StringWriter();
    String[] arguments = {"backup", "ls", "echo://host/"};

    int exitCode =
        Main.commandLine(
                kubeconfig -> {
                  throw new StorageException(ErrorCode.INTERNAL, "a node was asked for");
                },
                arguments)
            .setErr(new PrintWriter(err, true))
            .execute(arguments);

    assertThat(exitCode).isOne();
    assertThat(err.toString().strip())
        .as("without the remedy for a node that does not run")
        .isEqualTo("holdfast: [PATH] " + System.getenv("PATH").length());
  }

  @Test
  void pluginThatCannotBeLoadedIsNamed() throws Exception {
    plugin("acme.NoSuchTarget");

    assertThatThrownBy(() -> new Plugins(List.of(folder)).load(BackupTargetProvider.class))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessageContaining(folder.toString())
        .hasMessageContaining("acme.NoSuchTarget");
  }

  @Test
  void programAloneHasNoOtherTargets() throws Exception {
    assertThat(new Plugins(List.of(folder)).load(BackupTargetProvider.class))
        .flatExtracting(BackupTargetProvider::schemes)
        .doesNotContain("echo");
  }
}
