package dev.holdfast.itests;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Users of a real OpenID Connect provider, the npm package oidc-provider, at a real node: {@code
 * ui/e2e/oidc.mjs} has the steps.
 */
@Tag("repeatable")
class PageSignInE2E {
  @TempDir Path directory;

  @Test
  @Timeout(value = 600, unit = TimeUnit.SECONDS)
  void userOfAProviderHasTheRightsOfItsGroups() {
    try (RunningNode node = RunningNode.start(directory)) {
      PageStories.play("oidc", node);
    }
  }
}
