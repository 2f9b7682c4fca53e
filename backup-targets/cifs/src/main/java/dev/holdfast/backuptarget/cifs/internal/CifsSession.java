package dev.holdfast.backuptarget.cifs.internal;

import com.hierynomus.mssmb2.SMBApiException;
import com.hierynomus.smbj.SMBClient;
import com.hierynomus.smbj.SmbConfig;
import com.hierynomus.smbj.common.SMBRuntimeException;
import com.hierynomus.smbj.connection.Connection;
import com.hierynomus.smbj.share.DiskShare;
import com.hierynomus.smbj.share.Share;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * One connection to a server, made when it is needed and again after it broke. Its requests are
 * signed, and encrypted where the server demands it. Thread-safe: calls share the connection, at
 * most as many at a time as the options allow.
 */
final class CifsSession implements AutoCloseable {
  private final CifsAddress address;
  private final CifsAccess access;
  private final CifsFailures failures;
  private final SMBClient client;
  private final Semaphore calls;
  private final Duration limit;
  private DiskShare present;
  private Connection connection;
  private boolean closed;

  /** Work on a share. */
  interface Call<T> {
    T on(DiskShare share) throws IOException, StorageException;
  }

  CifsSession(CifsAddress address, CifsAccess access, StoreOptions options) {
    this.address = address;
    this.access = access;
    this.failures = new CifsFailures(address);
    this.limit = options.request();
    this.calls = new Semaphore(options.connections());
    long request = options.request().toMillis();
    this.client =
        new SMBClient(
            SmbConfig.builder()
                .withTimeout(request, TimeUnit.MILLISECONDS)
                .withSoTimeout(0)
                .withSocketFactory(new LimitedSocketFactory(options.connect()))
                .withSigningRequired(true)
                .withDfsEnabled(false)
                .build());
  }

  /** Returns the time limit of a call. */
  Duration limit() {
    return limit;
  }

  CifsFailures failures() {
    return failures;
  }

  /**
   * Works on the share. Work that a broken connection ended is done once more on a new one, unless
   * it must not be repeated.
   *
   * @throws StorageException the translated failure
   */
  <T> T call(String object, boolean repeated, Call<T> work) throws StorageException {
    try {
      calls.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failures.of(ErrorCode.TIMEOUT, object, "the call was interrupted");
    }
    try {
      return called(object, repeated, work);
    } finally {
      calls.release();
    }
  }

  private <T> T called(String object, boolean repeated, Call<T> work) throws StorageException {
    for (boolean mayRepeat = repeated; ; mayRepeat = false) {
      DiskShare share = share(object);
      try {
        return work.on(share);
      } catch (SMBApiException e) {
        if (!mayRepeat || !CifsFailures.isLostSession(e)) {
          throw failures.of(object, e);
        }
        drop(share);
      } catch (SMBRuntimeException | IOException e) {
        drop(share);
        StorageException failure = failures.of(object, e);
        if (!mayRepeat || failure.code() != ErrorCode.UNREACHABLE || isClosed()) {
          throw failure;
        }
      }
    }
  }

  private synchronized DiskShare share(String object) throws StorageException {
    if (closed) {
      throw failures.of(ErrorCode.UNREACHABLE, object, "the store was closed");
    }
    if (present == null || !present.isConnected()) {
      drop(present);
      try {
        connection = client.connect(address.server(), address.port());
        Share found = connection.authenticate(access.context()).connectShare(address.share());
        if (!(found instanceof DiskShare disk)) {
          throw failures.of(
              ErrorCode.INVALID, "share " + address.share(), "has no files: use another share");
        }
        present = disk;
      } catch (SMBApiException e) {
        drop(null);
        throw failures.of("share " + address.share(), e);
      } catch (SMBRuntimeException | IOException e) {
        drop(null);
        throw failures.of("share " + address.share(), e);
      }
    }
    return present;
  }

  /** Ends the connection of a share, unless a newer one has replaced it. */
  @SuppressWarnings("ReferenceEquality") // Which share it is matters, not which address it has.
  private synchronized void drop(DiskShare share) {
    if (share != present || connection == null) {
      return;
    }
    try {
      connection.close(true);
    } catch (IOException e) {
      // Its socket is gone already.
      present = null;
    }
    present = null;
    connection = null;
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public synchronized void close() {
    closed = true;
    drop(present);
    client.close();
  }
}
