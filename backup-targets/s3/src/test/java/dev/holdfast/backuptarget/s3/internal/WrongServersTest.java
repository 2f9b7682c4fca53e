package dev.holdfast.backuptarget.s3.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that fail, hang, lie or repeat credentials. */
class WrongServersTest {
  private static void put(ObjectStore store) throws StorageException {
    store.put("key", List.of(ByteBuffer.wrap(new byte[] {1})), PutOptions.REPLACE);
  }

  /** Returns the failure of a call, whose whole text has none of the credentials. */
  private static StorageException failure(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    assertThat(thrown).isInstanceOf(StorageException.class);
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    assertThat(text.toString()).doesNotContain(FakeS3.SECRET, FakeS3.ID, "Signature=");
    return (StorageException) thrown;
  }

  @ParameterizedTest
  @CsvSource({
    "403, AccessDenied, FORBIDDEN, allow the access key to use bucket bucket-1",
    "403, SignatureDoesNotMatch, FORBIDDEN, AWS_SECRET_ACCESS_KEY",
    "403, RequestTimeTooSkewed, FORBIDDEN, set the clock",
    "404, NoSuchBucket, NOT_FOUND, bucket bucket-1: does not exist: create it",
    "301, PermanentRedirect, INVALID, correct the region",
    "400, AuthorizationHeaderMalformed, INVALID, correct the region",
    "503, SlowDown, BUSY, it accepts fewer requests",
    "503, ServiceUnavailable, UNREACHABLE, answers 503",
    "500, InternalError, UNREACHABLE, answers 500 InternalError",
    "507, XMinioStorageFull, NO_SPACE, enlarge the target",
    "501, NotImplemented, UNSUPPORTED, answers 501",
    "418, <b>planted-secret-7f3a, IO, answers 418"
  })
  void answersAreMapped(int status, String name, ErrorCode code, String message) throws Exception {
    try (FakeS3 server = new FakeS3((exchange, number) -> FakeS3.fail(exchange, status, name));
        ObjectStore store = server.open(StoreOptions.DEFAULT)) {
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> put(store),
              () -> store.get("key", 0, ByteBuffer.allocate(1)),
              () -> store.list("", "", found -> {}),
              () -> store.delete(List.of("key")))) {
        StorageException failure = failure(call);
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
        assertThat(failure).hasMessageContaining(message).hasMessageContaining("s3://bucket-1@");
      }
    }
  }

  @Test
  void briefFailureIsRetried() throws Exception {
    try (FakeS3 server =
            new FakeS3(
                (exchange, number) -> {
                  if (number < 3) {
                    FakeS3.fail(exchange, 503, "ServiceUnavailable");
                  } else {
                    FakeS3.send(exchange, 200, "", "ETag", "\"abc\"");
                  }
                });
        ObjectStore store = server.open(StoreOptions.DEFAULT)) {
      StoredObject stored =
          store.put("key", List.of(ByteBuffer.wrap(new byte[] {1})), PutOptions.REPLACE);

      assertThat(stored.tag()).isEqualTo("abc");
      assertThat(server.requests).containsExactly(PUT, PUT, PUT);
    }
  }

  private static final String PUT = "PUT /bucket-1/root/key";

  @Test
  void putAndGetMakeOneRequestEach() throws Exception {
    try (FakeS3 server =
            new FakeS3(
                (exchange, number) -> {
                  if (number == 1) {
                    FakeS3.send(exchange, 200, "", "ETag", "\"abc\"");
                  } else {
                    FakeS3.send(exchange, 206, "x", "Content-Range", "bytes 5-5/10");
                  }
                });
        ObjectStore store = server.open(StoreOptions.DEFAULT)) {
      put(store);
      store.get("key", 5, ByteBuffer.allocate(1));

      assertThat(server.requests).containsExactly(PUT, "GET /bucket-1/root/key");
    }
  }

  @Test
  void serverThatIgnoresConditionsHasNoCapability() throws Exception {
    try (FakeS3 server =
            new FakeS3((exchange, number) -> FakeS3.send(exchange, 200, "", "ETag", "\"abc\""));
        ObjectStore store = server.open(StoreOptions.DEFAULT)) {
      assertThat(store.capabilities()).isEmpty();

      assertThat(failure(() -> store.put("key", List.of(), PutOptions.IF_ABSENT)).code())
          .isEqualTo(ErrorCode.UNSUPPORTED);
      assertThat(server.requests).noneMatch(PUT::equals).last().asString().startsWith("POST ");
    }
  }

  @Test
  void serverThatHangsTimesOut() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (FakeS3 server =
            new FakeS3(
                (exchange, number) -> {
                  try {
                    end.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
        ObjectStore store = server.open(FakeS3.SHORT)) {
      assertThat(failure(() -> put(store)).code()).isEqualTo(ErrorCode.TIMEOUT);
      assertThat(failure(() -> store.list("", "", found -> {})).code())
          .isEqualTo(ErrorCode.TIMEOUT);
      end.countDown();
    }
  }

  @Test
  void answerThatStopsInTheMiddleTimesOut() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (FakeS3 server =
            new FakeS3(
                (exchange, number) -> {
                  exchange.getResponseHeaders().set("Content-Range", "bytes 0-99/100");
                  exchange.sendResponseHeaders(206, 100);
                  OutputStream out = exchange.getResponseBody();
                  out.write(new byte[10]);
                  out.flush();
                  try {
                    end.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
        ObjectStore store = server.open(FakeS3.SHORT)) {
      assertThat(failure(() -> store.get("key", 0, ByteBuffer.allocate(100))).code())
          .isEqualTo(ErrorCode.TIMEOUT);
      end.countDown();
    }
  }

  @Test
  void otherRangeThanAskedForIsRefused() throws Exception {
    try (FakeS3 server =
            new FakeS3((exchange, number) -> FakeS3.send(exchange, 200, "the whole object"));
        ObjectStore store = server.open(StoreOptions.DEFAULT)) {
      StorageException failure = failure(() -> store.get("key", 4, ByteBuffer.allocate(3)));

      assertThat(failure).hasMessageContaining("another range");
      ByteBuffer beginning = ByteBuffer.allocate(3);
      store.get("key", 0, beginning);
      assertThat(new String(beginning.array(), StandardCharsets.UTF_8)).isEqualTo("the");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "root/b, root/a; false; ascending order",
        "root/a, root/a; false; ascending order",
        "other/a; false; ascending order",
        "root/a; true; where its next page begins"
      })
  void wrongPagesAreRefused(String names, boolean truncated, String message) throws Exception {
    StringBuilder text =
        new StringBuilder("<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>")
            .append(truncated)
            .append("</IsTruncated>");
    for (String name : names.split(", ", -1)) {
      text.append("<Contents><Key>")
          .append(name)
          .append("</Key><Size>1</Size><ETag>\"x\"</ETag>")
          .append("<LastModified>2026-11-28T00:00:00.000Z</LastModified></Contents>");
    }
    text.append("</ListBucketResult>");
    try (FakeS3 server =
            new FakeS3((exchange, number) -> FakeS3.send(exchange, 200, text.toString()));
        ObjectStore store = server.open(StoreOptions.DEFAULT)) {
      StorageException failure = failure(() -> store.list("", "", found -> {}));

      assertThat(failure.code()).isEqualTo(ErrorCode.IO);
      assertThat(failure).hasMessageContaining(message);
    }
  }

  @Test
  void objectsThatAreNotDeletedAreNamed() throws Exception {
    List<String> keys = new ArrayList<>(List.of("kept", "gone"));
    try (FakeS3 server =
            new FakeS3(
                (exchange, number) ->
                    FakeS3.send(
                        exchange,
                        200,
                        "<?xml version=\"1.0\"?><DeleteResult><Error><Key>root/kept</Key>"
                            + "<Code>AccessDenied</Code><Message>"
                            + FakeS3.SECRET
                            + "</Message></Error><Error><Key>root/gone</Key><Code>NoSuchKey</Code>"
                            + "</Error></DeleteResult>"));
        ObjectStore store = server.open(StoreOptions.DEFAULT)) {
      StorageException failure = failure(() -> store.delete(keys));

      assertThat(failure.code()).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(failure)
          .hasMessageContaining("1 objects are not deleted: kept (AccessDenied)")
          .hasMessageContaining("retention");
    }
  }

  @Test
  void callsAfterCloseFail() throws Exception {
    try (FakeS3 server =
        new FakeS3((exchange, number) -> FakeS3.send(exchange, 200, "", "ETag", "\"abc\""))) {
      ObjectStore store = server.open(StoreOptions.DEFAULT);
      store.close();
      store.close();

      assertThat(failure(() -> put(store)).code()).isEqualTo(ErrorCode.UNREACHABLE);
    }
  }
}
