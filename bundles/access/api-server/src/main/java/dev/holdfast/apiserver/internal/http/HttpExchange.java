package dev.holdfast.apiserver.internal.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** One request and the way to answer it. For one thread at a time. */
public final class HttpExchange {
  private final RequestHead head;
  private final InputStream body;
  private final ResponseWriter response;
  private final Deadline deadline;
  private final Duration limit;
  private final String source;

  HttpExchange(
      RequestHead head,
      InputStream body,
      ResponseWriter response,
      Deadline deadline,
      Duration limit,
      String source) {
    this.head = head;
    this.body = body;
    this.response = response;
    this.deadline = deadline;
    this.limit = limit;
    this.source = source;
  }

  /** Returns the method in upper case. */
  public String method() {
    return head.method();
  }

  /** Returns the address of the client. */
  public String source() {
    return source;
  }

  /** Returns the target, with its path and query encoded. */
  public URI target() {
    return head.target();
  }

  /** Returns the first value of a header. */
  public Optional<String> header(String name) {
    return head.header(name);
  }

  /** Returns the body, which ends where the request ends. */
  public InputStream body() {
    return body;
  }

  /** Says that nothing is awaited from the client, so that its time no longer runs. */
  public void received() {
    deadline.clear();
  }

  /** Says that the rest of the request is awaited; its time begins anew. */
  public void awaitRest() {
    deadline.within(limit);
  }

  /** Adds a header to the answer, before it begins. */
  public void addHeader(String name, String value) {
    response.add(name, value);
  }

  /** Has the connection end after this answer. */
  public void closeAfterwards() {
    response.closeAfterwards();
  }

  /** Answers with a body that is there as a whole. */
  public OutputStream begin(int code, long length) throws IOException {
    return response.begin(code, length);
  }

  /** Answers with a body of unknown length. */
  public OutputStream beginStream(int code) throws IOException {
    return response.begin(code, ResponseWriter.STREAM);
  }
}
