package dev.holdfast.frontend.nbd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Waits for a reply with a time limit. */
final class FrontendWait {
  private FrontendWait() {}

  static <T> T get(CompletableFuture<T> answer) throws Exception {
    return answer.get(20, TimeUnit.SECONDS);
  }
}
