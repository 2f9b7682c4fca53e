package dev.holdfast.support.internal.store;

import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.client.SupportPaths;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.StoreBackup;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * {@code GET /store/copy}: a consistent copy of the store, for administrators only. Absent on a
 * node without its own store. Makes one copy at a time.
 */
@Component
public final class StoreCopyDocument implements ApiDocument {
  private static final String PREFIX = "copy-";

  private final StoreBackup store;
  private final Path directory;

  /** Serves copies of a node's store. */
  @Activate
  public StoreCopyDocument(@Reference StoreBackup store, BundleContext bundle)
      throws StorageException {
    this(
        store,
        Path.of(
                Optional.ofNullable(bundle.getProperty("holdfast.data"))
                    .orElseThrow(
                        () ->
                            new StorageException(
                                ErrorCode.INVALID, "holdfast.data: required, and not set")))
            .resolve("store"));
  }

  StoreCopyDocument(StoreBackup store, Path directory) {
    this.store = store;
    this.directory = directory;
  }

  @Override
  public String path() {
    return SupportPaths.STORE_COPY;
  }

  @Override
  public synchronized void handle(ExtensionRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    removeLeftovers();
    Path copy = directory.resolve(PREFIX + "of-store.db");
    try {
      store.backUp(copy);
      try (OutputStream out =
          response.begin(200, "application/vnd.sqlite3", Files.size(copy), Map.of())) {
        Files.copy(copy, out);
      }
    } finally {
      removeLeftovers();
    }
  }

  /** Removes copies, including those of a crash. */
  private void removeLeftovers() throws IOException {
    try (DirectoryStream<Path> copies = Files.newDirectoryStream(directory, PREFIX + "*")) {
      for (Path copy : copies) {
        Files.delete(copy);
      }
    }
  }
}
