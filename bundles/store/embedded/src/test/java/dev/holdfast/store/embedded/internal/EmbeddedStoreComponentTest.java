package dev.holdfast.store.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;

class EmbeddedStoreComponentTest {
  @TempDir Path directory;

  /** A context that supports only the lookup of properties. */
  private static BundleContext context(Map<String, String> properties) {
    return (BundleContext)
        Proxy.newProxyInstance(
            BundleContext.class.getClassLoader(),
            new Class<?>[] {BundleContext.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("getProperty");
              return properties.get((String) arguments[0]);
            });
  }

  @Test
  void theStoreIsBelowTheDataDirectory() throws Exception {
    Path data = directory.resolve("not/there/yet");
    EmbeddedStoreComponent component =
        new EmbeddedStoreComponent(context(Map.of(EmbeddedStoreComponent.DATA, data.toString())));
    try {
      component.create(Setting.of("a", new SettingSpec("1")));
      component.backUp(directory.resolve("backup"));

      assertThat(data.resolve("store/holdfast.db")).isRegularFile();
      assertThat(component.get(Setting.KIND, "a")).isPresent();
    } finally {
      component.deactivate();
    }
    assertThat(
            catchThrowableOfType(StorageException.class, () -> component.get(Setting.KIND, "a"))
                .code())
        .isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void theDriverIsUnpackedBelowTheDataDirectory() throws Exception {
    String before = System.clearProperty(EmbeddedStoreComponent.DRIVER_DIRECTORY);
    try {
      Path driver = Files.createDirectories(directory.resolve("store/driver"));
      Files.createFile(driver.resolve("sqlite-3.50.3.0-left-behind.so"));
      new EmbeddedStoreComponent(context(Map.of(EmbeddedStoreComponent.DATA, "" + directory)))
          .deactivate();

      assertThat(System.getProperty(EmbeddedStoreComponent.DRIVER_DIRECTORY))
          .isEqualTo(driver.toString());
      assertThat(driver.resolve("sqlite-3.50.3.0-left-behind.so")).doesNotExist();
    } finally {
      System.clearProperty(EmbeddedStoreComponent.DRIVER_DIRECTORY);
      if (before != null) {
        System.setProperty(EmbeddedStoreComponent.DRIVER_DIRECTORY, before);
      }
    }
  }

  @Test
  void aMissingDataDirectoryIsNamed() {
    StorageException e =
        catchThrowableOfType(
            StorageException.class, () -> new EmbeddedStoreComponent(context(Map.of())));

    assertThat(e.code()).isEqualTo(ErrorCode.INVALID);
    assertThat(e).hasMessageContaining("holdfast.data");
  }

  private StorageException refused(Map<String, String> properties) {
    return catchThrowableOfType(
        StorageException.class, () -> new EmbeddedStoreComponent(context(properties)).deactivate());
  }

  private Path makeReplica() throws Exception {
    return Files.createDirectories(directory.resolve("disks/disk-1/replicas/v1-r-0"));
  }

  @Test
  void emptyStoreBesideReplicasIsRefusedUnlessItIsAllowed() throws Exception {
    Map<String, String> properties = Map.of(EmbeddedStoreComponent.DATA, directory.toString());
    assertThat(refused(properties)).isNull(); // a new node
    Path replica = makeReplica();
    Path file = directory.resolve("store/holdfast.db");

    StorageException empty = refused(properties);
    assertThat(empty.code()).isEqualTo(ErrorCode.IO);
    assertThat(empty)
        .hasMessageStartingWith("the store " + file + " is empty, ")
        .hasMessageContaining(replica.toString())
        .hasMessageContaining("holdfast.store.empty=allow");

    Files.delete(file);
    assertThat(refused(properties)).hasMessageStartingWith("the store " + file + " is missing, ");
    assertThat(file).doesNotExist();

    EmbeddedStoreComponent allowed =
        new EmbeddedStoreComponent(
            context(
                Map.of(
                    EmbeddedStoreComponent.DATA,
                    directory.toString(),
                    "holdfast.store.empty",
                    "allow")));
    allowed.create(Setting.of("a", new SettingSpec("1")));
    allowed.deactivate();
    assertThat(refused(properties)).as("a store with resources").isNull();
  }

  @Test
  void emptyStoreOfNodeThatServedVolumesIsRefused() throws Exception {
    Files.writeString(directory.resolve("volume-use"), "v1-e-0 4.0\n");
    assertThat(refused(Map.of(EmbeddedStoreComponent.DATA, directory.toString())))
        .hasMessageContaining("this node has served volumes");
  }

  @Test
  void reasonOfRefusalIsKeptUntilTheStoreOpens() throws Exception {
    Map<String, String> properties = Map.of(EmbeddedStoreComponent.DATA, directory.toString());
    Path file = Files.createDirectories(directory.resolve("store")).resolve("holdfast.db");
    Path trouble = directory.resolve("store/trouble");
    Files.writeString(file, "no database ".repeat(1000));

    assertThat(trouble).doesNotExist();
    StorageException damaged = refused(properties);
    assertThat(trouble).hasContent(damaged.getMessage());

    Files.delete(file);
    assertThat(refused(properties)).isNull();
    assertThat(trouble).doesNotExist();
  }
}
