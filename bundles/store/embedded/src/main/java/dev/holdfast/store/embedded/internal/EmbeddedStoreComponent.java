package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.StoreBackup;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Provides the store in {@code <holdfast.data>/store/holdfast.db} as a service. */
@Component(
    name = EmbeddedStoreComponent.NAME,
    enabled = false,
    immediate = true,
    property = "holdfast.store=embedded",
    service = {ResourceStore.class, StoreBackup.class})
public final class EmbeddedStoreComponent extends ForwardingResourceStore implements StoreBackup {
  static final String NAME = "dev.holdfast.store.embedded";
  static final String DATA = "holdfast.data";

  /**
   * Property of the directory into which the driver unpacks its native library; the driver offers
   * no other setting.
   */
  static final String DRIVER_DIRECTORY = "org.sqlite.tmpdir";

  /** Property: whether a store without resources may be opened in a directory that was used. */
  static final String EMPTY = "holdfast.store.empty";

  /**
   * File with the reason why the store was not opened, for {@code holdfast up} and {@code status}.
   */
  static final String TROUBLE = "trouble";

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedStoreComponent.class);

  private final EmbeddedResourceStore store;

  /** Opens the store. */
  @Activate
  public EmbeddedStoreComponent(BundleContext context) throws StorageException {
    this(open(context));
  }

  private EmbeddedStoreComponent(EmbeddedResourceStore store) {
    super(store);
    this.store = store;
  }

  private static EmbeddedResourceStore open(BundleContext context) throws StorageException {
    String data = context.getProperty(DATA);
    if (data == null || data.isBlank()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "the framework property "
              + DATA
              + " is not set; it must name the directory of all state");
    }
    Path root = Path.of(data).toAbsolutePath();
    Path directory = root.resolve("store");
    StoreFile.makeDirectory(directory);
    unpackDriverBelow(directory);
    Path trouble = directory.resolve(TROUBLE);
    try {
      boolean mayBeEmpty = "allow".equals(context.getProperty(EMPTY));
      EmbeddedResourceStore store =
          open(directory.resolve("holdfast.db"), new EarlierUse(root), mayBeEmpty);
      Files.deleteIfExists(trouble);
      return store;
    } catch (StorageException e) {
      keep(trouble, e.getMessage());
      throw e;
    } catch (IOException e) {
      throw StorageException.io("remove " + trouble, e);
    }
  }

  private static EmbeddedResourceStore open(Path file, EarlierUse use, boolean mayBeEmpty)
      throws StorageException {
    if (!mayBeEmpty && !Files.exists(file)) {
      use.refuse(file, "missing");
    }
    EmbeddedResourceStore store =
        new EmbeddedResourceStore(
            file, Clock.systemUTC(), EmbeddedResourceStore.DEFAULT_KEPT_CHANGES);
    try {
      if (!mayBeEmpty && store.isEmpty()) {
        use.refuse(file, "empty");
      }
    } catch (StorageException e) {
      store.close();
      throw e;
    }
    LOG.info("opened the resource store {}", file);
    return store;
  }

  private static void keep(Path trouble, String reason) {
    try {
      Files.writeString(trouble, reason + "\n");
    } catch (IOException e) {
      LOG.warn("{}: could not write why the store was not opened: {}", trouble, e.toString());
    }
  }

  /**
   * Not /tmp, which may be full, shared with others, or mounted noexec. Remove files that a killed
   * process left behind, because the driver never does; a loaded library stays usable without its
   * name.
   */
  private static void unpackDriverBelow(Path directory) throws StorageException {
    if (System.getProperty(DRIVER_DIRECTORY) != null) {
      return;
    }
    Path driver = directory.resolve("driver");
    try {
      Files.createDirectories(driver);
      try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(driver, "sqlite-*")) {
        for (Path leftover : leftovers) {
          Files.deleteIfExists(leftover);
        }
      }
    } catch (IOException e) {
      throw StorageException.io("prepare directory " + driver, e);
    }
    System.setProperty(DRIVER_DIRECTORY, driver.toString());
  }

  @Deactivate
  void deactivate() throws StorageException {
    store.close();
    LOG.info("closed the resource store");
  }

  @Override
  public void backUp(Path file) throws StorageException {
    store.backUp(file);
  }
}
