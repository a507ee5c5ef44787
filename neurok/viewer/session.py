"""Session: one tab and its object; messages in, messages out. It knows nothing of networks."""

from typing import Any

from neurok.viewer import choosing, holding, running
from neurok.viewer.present import Answer, Present

ANSWERS: dict[type, Any] = {**holding.ANSWERS, **running.ANSWERS, **choosing.ANSWERS}


class Session(Present):
    """The present of one tab, and what messages and time do to it."""

    def receive(self, message: Any) -> Answer:
        """What a message changes; nothing where the object is a recorded motion, which is only played."""
        answer = ANSWERS.get(type(message))
        return answer(self, message) if answer is not None and self.body.motion is None else []

    def tick(self) -> Answer:
        """One frame further, while time runs."""
        return running.tick(self)
