package dev.holdfast.apiserver.internal.http;

import java.io.IOException;

/** A request that is not HTTP as this server understands it; the connection ends. */
final class BadRequestException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int code;

  BadRequestException(int code, String message) {
    super(message);
    this.code = code;
  }

  BadRequestException(String message) {
    this(400, message);
  }

  int code() {
    return code;
  }
}
