"""A socket address that leads nowhere gets a clear close and no traceback."""

from channels.generic.websocket import AsyncWebsocketConsumer


class NowhereConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    async def connect(self) -> None:
        await self.accept()
        await self.close(code=4404)
