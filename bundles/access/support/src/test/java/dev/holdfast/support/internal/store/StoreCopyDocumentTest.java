package dev.holdfast.support.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.StoreBackup;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreCopyDocumentTest {
  private static final ExtensionRequest GET =
      new ExtensionRequest(
          "GET", "", Map.of(), name -> Optional.empty(), InputStream.nullInputStream());

  @TempDir private Path directory;

  private final StoreBackup store =
      file -> {
        try {
          Files.writeString(file, "resources");
        } catch (IOException e) {
          throw StorageException.io(file.toString(), e);
        }
      };

  @Test
  void copyIsSentAndRemoved() throws Exception {
    Files.writeString(directory.resolve("copy-of-store.db"), "left by a crash");
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    new StoreCopyDocument(store, directory).handle(GET, (code, type, length, headers) -> sent);
    assertThat(sent).hasToString("resources");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void copyIsRemovedWhenTheClientDisconnects() {
    OutputStream gone =
        new OutputStream() {
          @Override
          public void write(int value) throws IOException {
            throw new IOException("the client is gone");
          }
        };
    assertThatThrownBy(
            () ->
                new StoreCopyDocument(store, directory)
                    .handle(GET, (code, type, length, headers) -> gone))
        .hasMessage("the client is gone");
    assertThat(directory).isEmptyDirectory();
  }
}
