package dev.holdfast.backuptarget.azure.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.AzuriteServer;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;

/** Creates containers, which a target never does. */
final class Containers {
  private Containers() {}

  static void create(AzuriteServer server, String name) throws StorageException {
    AzureAddress address = AzureAddress.of(TargetUrl.parse("azblob://" + name + "/"));
    AzureAccount account = AzureAccount.of(server.credentials(), address);
    try (AzureRequests requests = new AzureRequests(address, account, StoreOptions.DEFAULT)) {
      AzureRequests.Request request =
          new AzureRequests.Request(
              "PUT", "", Map.of("restype", "container"), Map.of(), List.of(), false);
      assertThat(requests.send("container", request, 1 << 16).statusCode()).isEqualTo(201);
    }
  }
}
