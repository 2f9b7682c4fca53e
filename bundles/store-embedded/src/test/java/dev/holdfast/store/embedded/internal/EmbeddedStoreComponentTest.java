package dev.holdfast.store.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Setting;
import dev.holdfast.resource.SettingSpec;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;

class EmbeddedStoreComponentTest {
  @TempDir Path directory;

  /** A context of which only the properties are asked for. */
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
}
